import { KeyRound } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { isLive, tabTitle, type TerminalTab } from './console-tabs.ts'
import styles from './console.module.css'

/**
 * Terminals behind the shown one that wait for a passkey or security key. The first of them can be gone to, before all
 * others one that runs already: who moderates it is put out without an answer.
 */
export function ProofBar({ asking, onShow }: { asking: readonly TerminalTab[]; onShow: (id: string) => void }) {
  const first = asking.find(isLive) ?? asking[0]
  if (!first) return null
  const others = asking.length - 1
  return (
    <div className={styles['banner']} role="alert">
      <Icon of={KeyRound} />
      <p>
        <span className="strong">{tabTitle(first)}</span>{' '}
        {isLive(first)
          ? 'asks whether you are still there: verify within half a minute, or you are put out.'
          : 'waits for your passkey or security key.'}
        {others > 0 && <span className="t2"> {others === 1 ? 'One more terminal waits' : `${others} more terminals wait`} as well.</span>}
      </p>
      <span className="grow" />
      <Button size={24} kind="primary" aria-label={`Verify for ${tabTitle(first)}`} onClick={() => onShow(first.id)}>
        Verify
      </Button>
    </div>
  )
}
