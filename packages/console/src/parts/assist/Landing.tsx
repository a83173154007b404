import { MessageCircle } from 'lucide-react'
import { Alert } from '../../ui/Alert.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { QuestionField } from './QuestionField.tsx'
import styles from './Assist.module.css'

const examples = [
  'Which of my servers is short of disk space?',
  'Show what listens on port 443 on the web servers',
  'How do I find what fills a disk?',
]

/** What the assistant is for, before anything was said. */
export function Landing({ busy, error, onAsk }: { busy: boolean; error: Error | undefined; onAsk: (text: string) => void }) {
  return (
    <div className={styles['conversation']}>
      <div className={styles['landing']}>
        <h2>What would you like to know?</h2>
        <p className="t2">
          Ask about your servers, or have a command prepared for them. You read it, change it and run it; each server’s output comes back
          here and is recorded like every session.
        </p>
        <ul className={styles['examples']}>
          {examples.map((example) => (
            <li key={example}>
              <button type="button" disabled={busy} onClick={() => onAsk(example)}>
                <Icon of={MessageCircle} size={14} />
                {example}
              </button>
            </li>
          ))}
        </ul>
        <p className="muted sm">
          What you ask, names and labels of servers that you may see, and what commands print here may go to the model that your
          administrator has chosen.
        </p>
        {error && <Alert kind="danger">{error.message}</Alert>}
      </div>
      <QuestionField busy={busy} onAsk={onAsk} focus />
    </div>
  )
}
