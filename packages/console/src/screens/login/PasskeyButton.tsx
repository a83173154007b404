import { FingerprintPattern } from 'lucide-react'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Button } from '../../ui/Button.tsx'
import { signInProblem } from './problem.ts'
import { withPasskey } from './sign-in.ts'
import styles from './SignIn.module.css'

/** Sign in with a passkey; `first` when it is the first way of this cluster. */
export function PasskeyButton({ first = false }: { first?: boolean }) {
  const action = useAction(withPasskey)
  const problem = action.error && signInProblem(action.error)
  return (
    <>
      {problem && (
        <FocusedAlert kind="danger" title={problem.title}>
          {problem.text}
        </FocusedAlert>
      )}
      <Button
        kind={first ? 'primary' : 'secondary'}
        size={40}
        wide
        icon={FingerprintPattern}
        busy={action.busy}
        className={first ? '' : (styles['light'] ?? '')}
        onClick={() => action.start()}
      >
        {action.busy ? "Follow your browser's prompt" : 'Sign in with a passkey'}
      </Button>
      {action.busy && (
        <Button kind="quiet" size={40} wide onClick={() => void stopCeremony()}>
          Cancel
        </Button>
      )}
    </>
  )
}
