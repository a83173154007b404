import { useState } from 'react'
import type { ConnectionDiagnostic } from '@sallyport/wire/entities/connection-diagnostic.ts'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Gone } from './Gone.tsx'
import { kinds, plain } from './kinds.ts'
import type { Enrolled } from './kinds.ts'
import { ProofDialog } from './ProofDialog.tsx'
import { StepButtons } from './StepButtons.tsx'
import { needsProof, runTest } from './test-connection.ts'
import type { As, Proof } from './test-connection.ts'
import { TestFields } from './TestFields.tsx'
import type { Kind, Tile } from './tiles.ts'
import { TraceList } from './TraceList.tsx'
import type { Progress } from './use-address.ts'
import { useEnrolled } from './use-join.ts'
import styles from './Discover.module.css'

const rule = 'connection_diagnostic: create, read, update'

const does: Record<Kind, string> = {
  server: 'as you and runs one command.',
  application: '',
  database: 'as you, and leaves at once.',
  kubernetes: 'as you and lists pods.',
  desktop: '',
}

/** Where somebody begins: with what is allowed first. */
function firstChoice(kind: Kind, enrolled: Enrolled | null | undefined): As {
  const { logins = [], databaseUsers, databaseNames, kubeUsers } = enrolled?.principals ?? {}
  return {
    login: logins[0] ?? '',
    user: plain(kind === 'kubernetes' ? kubeUsers : databaseUsers)[0] ?? '',
    name: plain(databaseNames)[0] ?? '',
    namespace: 'default',
  }
}

/** Whether the viewer gets in, and where it stops. */
export function TestStep({ tile: { kind }, name, progress }: { tile: Tile; name: string; progress: Progress }) {
  const clusterId = useClusterId()
  const { acl } = useUserContext()
  const { create, edit, read } = acl.connectionDiagnostic
  const mayTest = create && edit && read
  const { data: enrolled } = useEnrolled(clusterId, kind, name)
  const [chosen, setChosen] = useState<Partial<As>>({})
  const as = { ...firstChoice(kind, enrolled), ...chosen }
  const [isAsking, setAsking] = useState(false)
  const [outcome, setOutcome] = useState<ConnectionDiagnostic>()
  const isWhole = kind === 'server' ? as.login !== '' : kind !== 'database' || (as.user !== '' && as.name !== '')
  const run = useAction(async (proof?: Proof) => {
    if (!enrolled || !isWhole) return
    const target = { kind, enrolled, ...as }
    if (!proof && (await needsProof(clusterId, target))) return setAsking(true)
    setOutcome(undefined)
    setOutcome(await runTest(clusterId, target, proof))
  })
  if (enrolled === null) return <Gone kind={kind} progress={progress} />
  return (
    <div className={styles['column']}>
      <FocusedHeading>Test connection</FocusedHeading>
      <p className={styles['lead']}>
        The proxy connects to <span className="strong">{enrolled?.title ?? `the ${kinds[kind].noun}`}</span> {does[kind]}
      </p>
      {mayTest ? (
        <section className={styles['tryOut']}>
          <TestFields
            kind={kind}
            principals={enrolled?.principals ?? {}}
            as={as}
            disabled={run.busy}
            onAs={(patch) => {
              setChosen((now) => ({ ...now, ...patch }))
              setOutcome(undefined)
            }}
          />
          <Button
            kind={outcome?.success ? 'secondary' : 'primary'}
            busy={run.busy}
            disabled={!enrolled || !isWhole}
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
        onNext={outcome?.success ? () => progress.next() : undefined}
        onBack={progress.back}
        onSkip={outcome?.success ? undefined : () => progress.next(undefined, 'skipped')}
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
