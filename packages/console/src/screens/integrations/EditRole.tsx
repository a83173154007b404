import { update } from '@sallyport/wire/calls/integrations.ts'
import type { IntegrationRow } from '@sallyport/wire/entities/integration.ts'
import { request } from '../../api/page.ts'
import { ActionForm } from '../../parts/ActionForm.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { awsRoleArn } from '../../parts/validators/aws.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toasts } from '../../ui/toast.ts'
import { refreshIntegrations } from './use-integrations.ts'

/** Another role, of the same account or another one. */
export function EditRole({ row: { name, details }, onClose }: { row: IntegrationRow; onClose: () => void }) {
  const { clusterId } = useUserContext().cluster
  const form = useForm({ roleArn: details }, ({ roleArn }) => ({ roleArn: awsRoleArn(roleArn) }))
  const save = useAction(async (roleArn: string) => {
    await request(update, { params: { clusterId, name }, body: { awsoidc: { roleArn } } })
    await refreshIntegrations()
    toasts.show({ title: `Integration ${name} changed` })
    onClose()
  })
  return (
    <Dialog open bare width={600} busy={save.busy} title={`Edit integration ${name}`} onClose={onClose}>
      <ActionForm
        submit="Save"
        disabled={form.values.roleArn.trim() === details}
        action={save}
        failure="Could not change the integration."
        onSubmit={form.submit(({ roleArn }) => save.start(roleArn.trim()))}
        onClose={onClose}
      >
        <TextField
          label="Role ARN"
          mono
          autoComplete="off"
          spellCheck={false}
          data-1p-ignore=""
          disabled={save.busy}
          help="A role of another account has to trust this cluster first: run the command of a new integration there."
          {...form.field('roleArn')}
        />
      </ActionForm>
    </Dialog>
  )
}
