import { useState } from 'react'
import type { ConnectionDiagnostic } from '@sallyport/wire/entities/connection-diagnostic.ts'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Select } from '../../ui/Select.tsx'
import { ProofDialog } from './ProofDialog.tsx'
import { ServerGone } from './ServerGone.tsx'
import { StepButtons } from './StepButtons.tsx'
import { needsProof, runTest } from './test-connection.ts'
import type { Proof } from './test-connection.ts'
import { TraceList } from './TraceList.tsx'
import type { Progress } from './use-address.ts'
import { useServer } from './use-join.ts'
import styles from './Discover.module.css'

const rule = 'connection_diagnostic: create, read, update'

/** Whether the viewer gets in, and where it stops. */
export function TestStep({ server, progress }: { server: string; progress: Progress }) {
  const clusterId = useClusterId()
  const { acl } = useUserContext()
  const { create, edit, read } = acl.connectionDiagnostic
  const mayTest = create && edit && read
  const { data: node } = useServer(clusterId, server)
  const logins = node?.sshLogins ?? []
  const [chosen, setChosen] = useState<string>()
  const login = chosen ?? logins[0]
  const [isAsking, setAsking] = useState(false)
  const [outcome, setOutcome] = useState<ConnectionDiagnostic>()
  const run = useAction(async (proof?: Proof) => {
    if (login === undefined) return
    if (!proof && (await needsProof(clusterId, { server, login }))) return setAsking(true)
    setOutcome(undefined)
    setOutcome(await runTest(clusterId, { server, login, proof }))
  })
  if (node === null) return <ServerGone progress={progress} />
  const { go } = progress
  return (
    <div className={styles['column']}>
      <FocusedHeading>Test connection</FocusedHeading>
      <p className={styles['lead']}>
        The proxy connects to <span className="strong">{node?.hostname ?? 'the server'}</span> as you and runs one command.
      </p>
      {mayTest ? (
        <section className={styles['tryOut']}>
          <Select
            label="Login"
            options={logins.map((value) => ({ value, label: value }))}
            value={login}
            disabled={run.busy}
            onValue={(next) => {
              setChosen(next)
              setOutcome(undefined)
            }}
          />
          <Button
            kind={outcome?.success ? 'secondary' : 'primary'}
            busy={run.busy}
            disabled={login === undefined}
            onClick={() => run.start()}
          >
            {outcome ? 'Test again' : 'Test'}
          </Button>
        </section>
      ) : (
        <Alert kind="info" title="You may not run connection tests." live={false}>
          Ask for <span className="mono">{rule}</span> <CopyButton text={rule} label="Copy rule" />
        </Alert>
      )}
      {run.error && (
        <Alert kind="danger" title="The test could not be run.">
          {run.error.message}
        </Alert>
      )}
      {outcome && <TraceList outcome={outcome} />}
      <StepButtons
        next="Finish"
        onNext={outcome?.success ? () => go('finish') : undefined}
        onBack={() => go('access')}
        onSkip={outcome?.success ? undefined : () => go('finish')}
      />
      {isAsking && (
        <ProofDialog
          onProof={(proof) => {
            setAsking(false)
            run.start(proof)
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
