import { update } from '@sallyport/wire/calls/integrations.ts'
import type { IntegrationRow } from '@sallyport/wire/entities/integration.ts'
import { request } from '../../api/page.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toasts } from '../../ui/toast.ts'
import { whyNotRoleArn } from './aws-fields.ts'
import { refreshIntegrations } from './use-integrations.ts'

/** Another role, of the same account or another one. */
export function EditRole({ row: { name, details }, onClose }: { row: IntegrationRow; onClose: () => void }) {
  const { clusterId } = useUserContext().cluster
  const form = useForm({ roleArn: details }, ({ roleArn }) => ({ roleArn: whyNotRoleArn(roleArn) }))
  const { busy, error, start } = useAction(async (roleArn: string) => {
    await request(update, { params: { clusterId, name }, body: { awsoidc: { roleArn } } })
    await refreshIntegrations()
    toasts.show({ title: `Integration ${name} changed` })
    onClose()
  })
  return (
    <Dialog open bare width={600} busy={busy} title={`Edit integration ${name}`} onClose={onClose}>
      <DialogForm
        onSubmit={form.submit(({ roleArn }) => start(roleArn.trim()))}
        footer={
          <>
            <Button kind="primary" type="submit" busy={busy} disabled={form.values.roleArn.trim() === details}>
              Save
            </Button>
            <Button disabled={busy} onClick={onClose}>
              Cancel
            </Button>
          </>
        }
      >
        {error && (
          <FocusedAlert key={error.message} kind="danger" title="Could not change the integration.">
            {error.message}
          </FocusedAlert>
        )}
        <TextField
          label="Role ARN"
          mono
          autoComplete="off"
          spellCheck={false}
          data-1p-ignore=""
          disabled={busy}
          help="A role of another account has to trust this cluster first: run the command of a new integration there."
          {...form.field('roleArn')}
        />
      </DialogForm>
    </Dialog>
  )
}
