import { useState } from 'react'
import { createRecoveryCodes, recoveryCodes } from '@sallyport/wire/calls/recovery.ts'
import { request } from '../../api/page.ts'
import { queryClient } from '../../api/queries.ts'
import type { Factor } from '../../parts/factors.ts'
import { RecoveryCodeList } from '../../parts/RecoveryCodeList.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
import { ProveStep } from './ProveStep.tsx'

async function makeCodes(tokenId: string): Promise<{ codes: string[]; created: Date }> {
  const { codes, created } = await request(createRecoveryCodes, { body: { tokenId } })
  await queryClient.invalidateQueries({ queryKey: [recoveryCodes.id] })
  return { codes, created: new Date(created) }
}

/** Proves who is there, then shows new recovery codes, this once. */
export function NewCodes({ factors, replaces, onClose }: { factors: readonly Factor[]; replaces: boolean; onClose: () => void }) {
  const [made, setMade] = useState<{ codes: string[]; created: Date }>()
  const [stored, setStored] = useState(false)
  return (
    <Dialog open bare alert onClose={onClose} busy={made !== undefined && !stored} title="New recovery codes" width={600}>
      {made ? (
        <DialogForm
          onSubmit={(event) => {
            event.preventDefault()
            if (stored) onClose()
          }}
          footer={
            <Button kind="primary" type="submit" disabled={!stored}>
              Done
            </Button>
          }
        >
          <RecoveryCodeList {...made} replaces={replaces} stored={stored} onStored={setStored} />
        </DialogForm>
      ) : (
        <ProveStep factors={factors} notice={undefined} onToken={async (token) => setMade(await makeCodes(token))} onCancel={onClose}>
          Prove that it is you before new codes take the place of the old ones.
        </ProveStep>
      )}
    </Dialog>
  )
}
