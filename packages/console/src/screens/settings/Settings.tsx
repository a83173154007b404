import * as calls from '@sallyport/wire/calls/cluster-config.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { DocumentForm } from './DocumentForm.tsx'
import { recordingFields, sessionFields, signInFields } from './setting-fields.ts'
import styles from './Settings.module.css'

/** The cluster's settings: what holds, where it is set, and the way to change it. */
export function Settings() {
  const { acl } = useUserContext()
  return (
    <>
      <PageHead title="Cluster settings" />
      <p className={`t2 ${styles['lead']}`}>
        A change is in force at once, for everybody. What the configuration of the proxy sets can only be changed there.
      </p>
      <div className={styles['sections']}>
        <DocumentForm
          title="Signing in"
          read={calls.readAuthPreference}
          write={calls.writeAuthPreference}
          fields={signInFields}
          note={
            acl.authConnectors.list && (
              <>
                What the sign-in screen opens with is chosen in <RouteLink to={routePath('sso')}>Manage Auth Connectors</RouteLink>.
              </>
            )
          }
        />
        <DocumentForm title="Sessions" read={calls.readNetworking} write={calls.writeNetworking} fields={sessionFields} />
        <DocumentForm title="Recording" read={calls.readSessionRecording} write={calls.writeSessionRecording} fields={recordingFields} />
      </div>
    </>
  )
}
