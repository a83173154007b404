import { config } from '../../api/page.ts'
import { usePlace } from '../../parts/place.tsx'
import { ScrollTo } from '../../parts/ScrollTo.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import styles from './Account.module.css'
import { DeviceList } from './DeviceList.tsx'
import { Holdings } from './Holdings.tsx'
import { OwnSignIns } from './OwnSignIns.tsx'
import { PasswordChange } from './PasswordChange.tsx'
import { RecoverySection } from './RecoverySection.tsx'

/** The viewer's own account. Its two sections have addresses of their own. */
export function Account() {
  const { username, authType, hasPassword, roles, traits } = useUserContext()
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
            {hasPassword ? (
              <PasswordChange username={username} />
            ) : (
              <p className="t2">No password is set: you sign in with a passkey. An administrator can give you a link to set one.</p>
            )}
          </section>
        )}
        <section id="devices" className={styles['section']} aria-labelledby="devices-title">
          <DeviceList />
        </section>
        {config.recoveryCodesEnabled && authType === 'local' && <RecoverySection />}
        <OwnSignIns />
        {roles && (
          <section id="roles" className={styles['section']} aria-labelledby="roles-title">
            <h2 id="roles-title">Roles and traits</h2>
            <Holdings roles={roles} traits={traits ?? {}} />
          </section>
        )}
      </div>
      {route === 'accountPassword' && <ScrollTo id="password" />}
      {route === 'accountTwoFactor' && <ScrollTo id="devices" />}
    </>
  )
}
