import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { takeEndReason } from '../../parts/end-reason.ts'
import { EntryFooter } from '../../parts/EntryFooter.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { EntryCard, OrLine } from '../../ui/Card.tsx'
import { cx } from '../../ui/cx.ts'
import { PasskeyButton } from './PasskeyButton.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import { targetPage } from './sign-in.ts'
import styles from './SignIn.module.css'
import { SsoButtons } from './SsoButtons.tsx'
import { waysToSignIn } from './ways.ts'

const ended = takeEndReason()

/** The sign-in card. Where the password is not the first way, its form slides in on demand. */
export function SignIn({ onKeysOnly }: { onKeysOnly: () => void }) {
  const { first, others } = waysToSignIn(config.auth)
  const [view, setView] = useState<'first' | 'password' | 'back'>('first')
  const target = targetPage()
  const hidesForm = first !== 'password' && others.includes('password')
  return (
    <EntryCard
      title={`Sign in to ${config.proxyCluster}`}
      lead={target === routePath('root') ? undefined : <ReturnLine to={target} />}
      footer={<EntryFooter />}
    >
      {ended && view !== 'password' && <Alert kind="info">{ended}</Alert>}
      <div className={styles['slides']}>
        {view !== 'password' ? (
          <div key="first" className={cx(styles['slide'], view === 'back' && styles['back'])}>
            {first === 'password' && <PasswordForm onKeysOnly={onKeysOnly} />}
            {first === 'passkey' && <PasskeyButton first />}
            {first === 'sso' && <SsoButtons first />}
            {others.length > 0 && (
              <div className={styles['or']}>
                <OrLine>Other ways to sign in</OrLine>
              </div>
            )}
            {others.includes('passkey') && <PasskeyButton />}
            {others.includes('sso') && <SsoButtons />}
            {hidesForm && (
              <Button size={40} wide className={styles['light'] ?? ''} onClick={() => setView('password')}>
                Sign in with a password
              </Button>
            )}
          </div>
        ) : (
          <div key="password" className={cx(styles['slide'], styles['right'])}>
            <PasswordForm onKeysOnly={onKeysOnly} />
            <Button kind="quiet" size={40} wide icon={ArrowLeft} onClick={() => setView('back')}>
              Back
            </Button>
          </div>
        )}
      </div>
    </EntryCard>
  )
}

function ReturnLine({ to }: { to: string }) {
  const shown = to.replace(/^\/web\/(cluster\/[^/]+\/)?/, '')
  return (
    <span className={styles['return']}>
      You will return to <span className="mono">{readable(shown)}</span>
    </span>
  )
}

function readable(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address // broken escapes: as it is
  }
}
