import { useState } from 'react'
import { create } from '@sallyport/wire/calls/integrations.ts'
import { awsOidc } from '@sallyport/wire/entities/integration.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config, request } from '../../api/page.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { useAction } from '../../parts/use-action.ts'
import { useBlock } from '../../parts/use-block.ts'
import { useForm } from '../../parts/use-form.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { awsRoleArn, iamRoleName, integrationName } from '../../parts/validators/aws.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { configureCommand, whyNotIssuer } from './aws-fields.ts'
import { AwsConnected } from './AwsConnected.tsx'
import { Step } from './Step.tsx'
import { tellEnroll } from './tell-use.ts'
import { refreshIntegrations, useIntegrations } from './use-integrations.ts'
import styles from './Integrations.module.css'

const machineField = { mono: true, autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, 'data-1p-ignore': '' } as const

/** An account at Amazon that comes to trust this cluster, in three steps. */
export function EnrollAws() {
  const { cluster } = useUserContext()
  const { clusterId } = cluster
  const { rows = [] } = useIntegrations()
  const [attempt] = useState(() => crypto.randomUUID())
  const [chosen, setChosen] = useState<{ name: string; role: string }>()
  const [made, setMade] = useState<{ name: string; roleArn: string }>()
  const names = useForm({ name: '', role: 'sallyport' }, ({ name, role }) => ({
    name: integrationName(name, new Set(rows.map((row) => row.name))),
    role: iamRoleName(role),
  }))
  const trust = useForm({ roleArn: '' }, ({ roleArn }) => ({ roleArn: awsRoleArn(roleArn, chosen?.role) }))
  useBlock(made === undefined && (names.values.name !== '' || chosen !== undefined), 'What you have entered here')
  const save = useAction(async ({ name }: { name: string }, roleArn: string) => {
    await request(create, { params: { clusterId }, body: { name, subKind: awsOidc, awsoidc: { roleArn } } })
    tellEnroll('complete', attempt, awsOidc)
    await refreshIntegrations()
    setMade({ name, roleArn })
  })
  const noIssuer = whyNotIssuer(config.baseUrl)
  return (
    <>
      <PageHead title="Connect an AWS account">
        <Button onClick={() => pushPath(routePath('newIntegration', {}))}>Other integrations</Button>
      </PageHead>
      <p className={styles['lead']}>
        A role in the account comes to trust this cluster. The cluster shows a signed token that is good for a minute; no key of the account
        is kept here.
      </p>
      <div className={styles['column']}>
        {noIssuer !== undefined && (
          <Alert kind="warn" live={false} title={`AWS cannot trust ${config.baseUrl}.`}>
            {noIssuer} Set it with <span className="mono nowrap">--public-addr</span> first.
          </Alert>
        )}
        <Step number={1} title="Name it" done={chosen !== undefined}>
          <form
            className={styles['form']}
            noValidate
            onSubmit={names.submit(({ name, role }) => {
              tellEnroll('start', attempt, awsOidc)
              setChosen({ name, role })
            })}
          >
            <div className={styles['fields']}>
              <TextField
                label="Integration name"
                placeholder="aws-production"
                disabled={chosen !== undefined}
                {...machineField}
                {...names.field('name')}
              />
              <TextField
                label="IAM role name"
                help="It is made in the account."
                disabled={chosen !== undefined}
                {...machineField}
                {...names.field('role')}
              />
            </div>
            <div className={styles['buttons']}>
              {chosen ? (
                <Button onClick={() => setChosen(undefined)}>Edit</Button>
              ) : (
                <Button kind="primary" type="submit">
                  Generate command
                </Button>
              )}
            </div>
          </form>
        </Step>
        <Step number={2} title="Run the command in the account" off={chosen === undefined}>
          {chosen && (
            <>
              <p className="t2">
                Open AWS CloudShell as somebody who may change IAM. It makes this cluster an identity provider of the account, and the role{' '}
                {chosen.role}, which may list databases and nothing else.
              </p>
              <CodeBlock text={configureCommand(config.baseUrl, chosen.name, chosen.role)} copyLabel="Copy command" />
            </>
          )}
        </Step>
        <Step number={3} title="Enter the role ARN that it prints" off={chosen === undefined}>
          {chosen && (
            <form className={styles['form']} noValidate onSubmit={trust.submit(({ roleArn }) => save.start(chosen, roleArn.trim()))}>
              {save.error && (
                <FocusedAlert key={save.error.message} kind="danger" title="The integration was not created.">
                  {save.error.message}
                </FocusedAlert>
              )}
              <TextField
                label="Role ARN"
                placeholder={`arn:aws:iam::123456789012:role/${chosen.role}`}
                disabled={save.busy}
                {...machineField}
                {...trust.field('roleArn')}
              />
              <div className={styles['buttons']}>
                <Button kind="primary" type="submit" busy={save.busy}>
                  Create integration
                </Button>
              </div>
            </form>
          )}
        </Step>
      </div>
      {made && <AwsConnected {...made} />}
    </>
  )
}
