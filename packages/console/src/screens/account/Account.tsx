import { usePlace } from '../../parts/place.tsx'
import { ScrollTo } from '../../parts/ScrollTo.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import styles from './Account.module.css'
import { DeviceList } from './DeviceList.tsx'
import { PasswordChange } from './PasswordChange.tsx'

/** The viewer's own account. Its two sections have addresses of their own. */
export function Account() {
  const { username, authType } = useUserContext()
  const route = usePlace().match?.name
  return (
    <>
      <PageHead title="Account settings" />
      <p className={`t2 ${styles['who']}`}>
        Signed in as <span className="strong">{username}</span>
        {authType === 'sso' && ' through an identity provider'}
      </p>
      <div className={styles['sections']}>
        {authType === 'local' && (
          <section id="password" className={styles['section']} aria-labelledby="password-title">
            <h2 id="password-title">Password</h2>
            <PasswordChange username={username} />
          </section>
        )}
        <section id="devices" className={styles['section']} aria-labelledby="devices-title">
          <DeviceList />
        </section>
      </div>
      {route === 'accountPassword' && <ScrollTo id="password" />}
      {route === 'accountTwoFactor' && <ScrollTo id="devices" />}
    </>
  )
}
