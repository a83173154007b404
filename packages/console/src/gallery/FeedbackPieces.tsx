import { Alert } from '../ui/Alert.tsx'
import { Button } from '../ui/Button.tsx'
import { Panel } from '../ui/Card.tsx'
import { CodeBlock, JsonBlock } from '../ui/CodeBlock.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ProgressLine } from '../ui/ProgressLine.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { Section } from './Section.tsx'
import styles from './Gallery.module.css'

/** Alerts, progress, code, empty lists. */
export function FeedbackPieces() {
  return (
    <Section title="Feedback" note="Say what happened, then what to do.">
      <div className={styles['stack']}>
        <Alert live={false} kind="danger" title="Could not list servers." action={<Button size={24}>Retry</Button>}>
          Your roles do not allow it. Ask for <span className="mono">node: list, read</span>.
        </Alert>
        <Alert live={false} kind="warn" title="helios-apac is not reachable right now.">
          Showing what was loaded 4 minutes ago.
        </Alert>
        <Alert live={false} kind="info">
          A new version is out. Reload when you are ready.
        </Alert>
        <Alert live={false} kind="ok">
          Connection test passed, 5 of 5 checks.
        </Alert>
        <div className="row gap3">
          <ProgressLine label="Upload" value={0.64} />
          <span className="mono sm">64 %</span>
          <Spinner label="Uploading 3 files" showLabel />
          <Spinner size={24} />
        </div>
        <CodeBlock text="npm start -- --listen 127.0.0.1:4080" copyLabel="Copy command" />
        <JsonBlock
          label="Raw event"
          value={{ code: 'T3007W', event: 'auth', success: false, ei: 0, server_labels: { env: 'production' } }}
        />
        <Panel>
          <EmptyState title="Nothing is locked" actions={<Button kind="primary">Add lock</Button>}>
            Lock a user, role, device or machine to cut access at once.
          </EmptyState>
        </Panel>
      </div>
    </Section>
  )
}
