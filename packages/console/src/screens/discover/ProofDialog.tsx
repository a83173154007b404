import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { devices } from '@sallyport/wire/calls/mfa.ts'
import { toMfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { FactorFields } from '../../parts/FactorFields.tsx'
import { firstFactor, ownFactors } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { oneTimeCode } from '../../parts/validators/sign-in.ts'
import { stopCeremony } from '../../parts/webauthn.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
import { proveByKey } from './test-connection.ts'
import type { Proof } from './test-connection.ts'

/** The second factor that sessions there ask for. */
export function ProofDialog({ onProof, onClose }: { onProof: (proof: Proof) => void; onClose: () => void }) {
  const owned = useQuery(callQuery(devices))
  const factors = owned.data && ownFactors(config.auth.second_factor, owned.data.map(toMfaDevice))
  return (
    <Dialog open title="Confirm that it is you" bare onClose={onClose}>
      {factors && <ProofForm factors={factors} onProof={onProof} onClose={onClose} />}
      {owned.error && <LoadError title="Your second factors could not be read." error={owned.error} onRetry={() => void owned.refetch()} />}
    </Dialog>
  )
}

function ProofForm({ factors, onProof, onClose }: { factors: readonly Factor[]; onProof: (proof: Proof) => void; onClose: () => void }) {
  const [factor, setFactor] = useState<Factor>(() => firstFactor(config.auth, null, factors))
  const form = useForm({ code: '' }, ({ code }) => ({ code: factor === 'app' ? oneTimeCode(code) : undefined }))
  const action = useAction(async () => onProof(factor === 'key' ? await proveByKey() : { code: form.values.code }))
  const waitsForKey = action.busy && factor === 'key'
  return (
    <DialogForm
      onSubmit={form.submit(() => action.start())}
      footer={
        <>
          <Button kind="primary" type="submit" busy={action.busy} disabled={factors.length === 0}>
            {waitsForKey ? "Follow your browser's prompt" : 'Verify and test'}
          </Button>
          <Button onClick={waitsForKey ? () => void stopCeremony() : onClose}>Cancel</Button>
        </>
      }
    >
      <p className="t2">
        {factors.length === 0
          ? 'Sessions here ask for a second factor, and you have none. Add one in your account settings.'
          : 'Sessions here ask for your second factor, and so does this test.'}
      </p>
      {action.error && (
        <Alert kind="danger" title="That did not verify you.">
          {action.error.message}
        </Alert>
      )}
      <FactorFields choices={factors} factor={factor} onFactor={setFactor} code={form.code('code')} busy={action.busy} />
    </DialogForm>
  )
}
