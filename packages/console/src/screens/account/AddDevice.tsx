import { useState } from 'react'
import type { Attestation } from '@sallyport/wire/entities/mfa.ts'
import type { Factor } from '../../parts/factors.ts'
import { toasts } from '../../ui/toast.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { AppStep } from './AppStep.tsx'
import { firstDeviceToken, newAppSecret, newKey, sendNewDevice } from './device-calls.ts'
import type { NewDevice } from './device-calls.ts'
import { KeyNameStep } from './KeyNameStep.tsx'
import { MethodStep } from './MethodStep.tsx'
import type { Method } from './MethodStep.tsx'
import { ProveStep } from './ProveStep.tsx'
import { useProof } from './use-proof.ts'

type Made = { kind: 'app'; qrCode: string; secret: string } | { kind: 'key' | 'passkey'; credential: Attestation }

export interface AddDeviceProps {
  /** What the viewer can prove themselves with; none for the first device. */
  factors: readonly Factor[]
  /** Names of the devices that are there. */
  taken: readonly string[]
  methods: readonly Method[]
  /** The kind to begin with. */
  method: Method
  onClose: () => void
}

/** Adds a device in steps: prove who is there, choose the kind, make it, name it. */
export function AddDevice({ factors, taken, methods, method, onClose }: AddDeviceProps) {
  const proof = useProof()
  const [made, setMade] = useState<Made>()
  const isFirst = factors.length === 0

  async function make(kind: Method): Promise<void> {
    await proof.spend(async (known) => {
      const token = isFirst && known === '' ? await firstDeviceToken() : known
      setMade(kind === 'app' ? { kind, ...(await newAppSecret(token)) } : { kind, credential: await newKey(token, kind) })
      proof.give(token)
    })
  }
  async function add(name: string, device: NewDevice): Promise<void> {
    if (!(await proof.spend((token) => sendNewDevice(token, name, device)))) return setMade(undefined)
    onClose()
    toasts.show({ title: 'Device added', body: name })
  }
  const steps = { onClose, taken, onAdd: add }
  return (
    <Dialog open bare onClose={onClose} title={titles[made?.kind ?? 'none']}>
      {proof.token === undefined && !isFirst ? (
        <ProveStep factors={factors} notice={proof.notice} onToken={proof.give} onCancel={onClose}>
          Prove that it is you before a device is added.
        </ProveStep>
      ) : !made ? (
        <MethodStep methods={methods} first={method} notice={isFirst ? proof.notice : undefined} onMethod={make} onCancel={onClose} />
      ) : made.kind === 'app' ? (
        <AppStep {...steps} qrCode={made.qrCode} secret={made.secret} />
      ) : (
        <KeyNameStep {...steps} kind={made.kind} credential={made.credential} />
      )}
    </Dialog>
  )
}

const titles = { none: 'Add a device', app: 'Set up your authenticator app', key: 'Name your security key', passkey: 'Name your passkey' }
