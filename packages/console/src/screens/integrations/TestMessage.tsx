import { useState } from 'react'
import { whyNotRecipient } from '@sallyport/wire/entities/plugin.ts'
import type { PluginKind } from '@sallyport/wire/entities/plugin.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { machineField } from './ConnectionFields.tsx'
import { pluginWords } from './plugin-words.ts'
import styles from './Integrations.module.css'

export interface TestMessageProps {
  kind: PluginKind
  /** Filled in until somebody types another one. */
  recipient: string | undefined
  /** It is the next thing to do. */
  primary?: boolean
  /** Rejects with why it did not go out. */
  send: (recipient: string) => Promise<unknown>
  onSent?: () => void
}

/** A message by the settings as they are entered, before they are saved. */
export function TestMessage({ kind, recipient, primary = false, send, onSent }: TestMessageProps) {
  const [typed, setTyped] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [sent, setSent] = useState<string>()
  const to = typed ?? recipient ?? ''
  const action = useAction(async (recipient: string) => {
    setSent(undefined)
    await send(recipient)
    setSent(recipient)
    onSent?.()
  })
  const start = (): void => {
    const why = to.trim() === '' ? 'Enter a recipient' : whyNotRecipient(kind, to.trim())
    setProblem(why)
    if (why === undefined) action.start(to.trim())
  }
  return (
    <>
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="The test message did not go out.">
          {action.error.message}
        </FocusedAlert>
      )}
      {sent !== undefined && !action.busy && (
        <Alert kind="ok" title={`A test message went to ${sent}.`}>
          Look whether it arrived.
        </Alert>
      )}
      <div className={styles['test']}>
        <TextField
          label="Send a test message to"
          {...machineField}
          value={to}
          placeholder={pluginWords[kind].placeholder}
          error={problem}
          disabled={action.busy}
          onChange={({ target }) => {
            setTyped(target.value)
            setProblem(undefined)
          }}
        />
        <Button kind={primary ? 'primary' : 'secondary'} busy={action.busy} onClick={start}>
          Send test message
        </Button>
      </div>
    </>
  )
}
