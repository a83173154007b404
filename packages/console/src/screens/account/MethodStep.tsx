import { useState } from 'react'
import type { AuthConfig } from '@sallyport/wire/config.ts'
import { factorChoices } from '../../parts/factors.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogForm } from '../../ui/Dialog.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'

export type Method = 'passkey' | 'key' | 'app'

const looks: Record<Method, { label: string; help: string }> = {
  passkey: { label: 'Passkey', help: 'Signs you in without a password: this device or your phone asks for a finger, a face or a PIN' },
  key: { label: 'Security key', help: 'Confirms a sign-in with your password: a key you plug in, or this device' },
  app: { label: 'Authenticator app', help: 'Confirms a sign-in with your password: a code that changes every 30 seconds' },
}

/** The kinds of device that this cluster takes. */
export function methodsOf({
  second_factor,
  allowPasswordless,
}: Pick<AuthConfig, 'second_factor' | 'allowPasswordless'>): readonly Method[] {
  const factors = factorChoices(second_factor).filter((factor) => factor !== 'none')
  return [...(allowPasswordless && factors.includes('key') ? (['passkey'] as const) : []), ...factors]
}

export interface MethodStepProps {
  methods: readonly Method[]
  /** Chosen at first. */
  first: Method
  notice: string | undefined
  /** Makes the device; the browser may ask for a key meanwhile. */
  onMethod: (method: Method) => Promise<void>
  onCancel: () => void
}

/** Which kind of device to add. */
export function MethodStep({ methods, first, notice, onMethod, onCancel }: MethodStepProps) {
  const [method, setMethod] = useState(first)
  const action = useAction(() => onMethod(method))
  const waitsForKey = action.busy && method !== 'app'
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault()
        action.start()
      }}
      footer={
        <>
          <Button kind="primary" type="submit" busy={action.busy}>
            {waitsForKey ? "Follow your browser's prompt" : 'Next'}
          </Button>
          <Button onClick={waitsForKey ? () => void stopCeremony() : onCancel}>Cancel</Button>
        </>
      }
    >
      {notice !== undefined && <FocusedAlert kind="info">{notice}</FocusedAlert>}
      {action.error && (
        <FocusedAlert key={action.error.message} kind="danger" title="The device could not be made.">
          {action.error.message}
        </FocusedAlert>
      )}
      <RadioGroup
        label="Kind of device"
        value={method}
        onValue={(next) => {
          setMethod(next)
          action.clear()
        }}
        options={methods.map((value) => ({ value, ...looks[value], disabled: action.busy }))}
      />
    </DialogForm>
  )
}
