import { useQuery } from '@tanstack/react-query'
import { awsPing } from '@sallyport/wire/calls/integrations.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { callQuery } from '../../api/queries.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { pushPath } from '../../parts/navigation.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { accountOf } from './aws-fields.ts'

/** The integration is stored: whether Amazon lets the cluster in, and what to do next. */
export function AwsConnected({ name, roleArn }: { name: string; roleArn: string }) {
  const { acl, cluster } = useUserContext()
  const may = acl.integrations
  const params = { clusterId: cluster.clusterId, name }
  const check = useQuery({ ...callQuery(awsPing, { params, body: {} }), enabled: may.use, gcTime: 0 })
  // A proxy that has no such check says nothing about the trust.
  const refusal = isNotFound(check.error) ? undefined : check.error
  const leave = (): void => pushPath(routePath('integrations'))
  return (
    <Dialog
      open
      width={500}
      title={`Integration ${name} created`}
      onClose={leave}
      footer={
        <>
          {may.use && may.list && (
            <Button kind="primary" onClick={() => pushPath(routePath('integrations') + formatSearch({ databases: name }))}>
              See its databases
            </Button>
          )}
          <Button onClick={leave}>See integrations</Button>
        </>
      }
    >
      {check.isFetching && <Spinner delay="none" size={24} label="Asking AWS" />}
      {!check.isFetching && check.data && (
        <Alert kind="ok" title={`AWS account ${check.data.accountId || accountOf(roleArn)} trusts this cluster.`}>
          It was let in as <span className="mono">{check.data.arn}</span>.
        </Alert>
      )}
      {!check.isFetching && refusal && (
        <Alert
          kind="warn"
          title="AWS does not let the cluster in yet."
          action={
            <Button size={24} onClick={() => void check.refetch()}>
              Check again
            </Button>
          }
        >
          {refusal.message}
        </Alert>
      )}
      {!may.use && <p className="t2">Who has the right to use integrations (integration: use) can list what is in the account.</p>}
      {refusal && <p className="t2">New trust takes AWS some seconds to know everywhere.</p>}
    </Dialog>
  )
}
