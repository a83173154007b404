import { useState } from 'react'
import type { ReactNode } from 'react'
import { config } from '../../api/page.ts'
import { FactorFields } from '../../parts/FactorFields.tsx'
import { firstFactor } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { oneTimeCode } from '../../parts/validators/sign-in.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogForm } from '../../ui/Dialog.tsx'
import { tokenForCode, tokenForKey } from './device-calls.ts'

export interface ProveStepProps {
  /** What the proof is for. */
  children: ReactNode
  factors: readonly Factor[]
  /** Why it is asked for once more. */
  notice: string | undefined
  /** What it waits for belongs to the proof: it may fail as well. */
  onToken: (token: string) => void | Promise<void>
  onCancel: () => void
}

/** The first step of every change to the account: whoever sits here proves again who they are. */
export function ProveStep({ children, factors, notice, onToken, onCancel }: ProveStepProps) {
  const [factor, setFactor] = useState<Factor>(() => firstFactor(config.auth, null, factors))
  const form = useForm({ code: '' }, ({ code }) => ({ code: factor === 'app' ? oneTimeCode(code) : undefined }))
  const action = useAction(async () => {
    const proof = factor === 'key' ? tokenForKey() : tokenForCode(form.values.code)
    const token = await proof.catch((error: unknown) => {
      form.set({ code: '' })
      throw error
    })
    await onToken(token)
  })
  const waitsForKey = action.busy && factor === 'key'
  const choose = (next: Factor): void => {
    setFactor(next)
    action.clear()
  }
  return (
    <DialogForm
      onSubmit={form.submit(() => action.start())}
      footer={
        <>
          <Button kind="primary" type="submit" busy={action.busy}>
            {waitsForKey ? "Follow your browser's prompt" : 'Verify'}
          </Button>
          <Button onClick={waitsForKey ? () => void stopCeremony() : onCancel}>Cancel</Button>
        </>
      }
    >
      <p className="t2">{children}</p>
      {notice !== undefined && !action.error && <FocusedAlert kind="info">{notice}</FocusedAlert>}
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="That did not verify you.">
          {action.error.message}
        </FocusedAlert>
      )}
      <FactorFields choices={factors} factor={factor} onFactor={choose} code={form.code('code')} busy={action.busy} />
    </DialogForm>
  )
}
