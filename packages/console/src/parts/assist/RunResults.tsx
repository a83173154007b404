import { useQuery } from '@tanstack/react-query'
import { Square } from 'lucide-react'
import type { CommandResult } from '@sallyport/wire/entities/assistant.ts'
import { ChallengeDialog } from '../ChallengeDialog.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { useStore } from '../../ui/store.ts'
import { Spinner } from '../../ui/Spinner.tsx'
import type { CommandRun } from './command-run.ts'
import type { Entry } from './entries.ts'
import { Markdown } from './Markdown.tsx'
import { NodeResult } from './NodeResult.tsx'
import { recordedOutput } from './recorded-output.ts'
import styles from './Assist.module.css'

/** A command while it runs on servers, and what came of it. */
export function LiveRun({ clusterId, run }: { clusterId: string; run: CommandRun }) {
  const { phase, nodes, summary, challenge, problem } = useStore(run.state)
  const isOver = phase === 'ended'
  const areDone = nodes.length > 0 && nodes.every(({ state }) => state !== 'running')
  return (
    <section className={styles['run']} aria-label="Command that ran">
      <RunHead command={run.params.command} login={run.params.login}>
        {!isOver && (
          <Button size={24} icon={Square} onClick={() => run.stop()}>
            Stop
          </Button>
        )}
      </RunHead>
      {problem !== '' && <Alert kind="danger">{problem}</Alert>}
      {!isOver && nodes.length === 0 && <Spinner label="Connecting" showLabel />}
      {nodes.map(({ id, ...node }) => (
        <NodeResult key={id} clusterId={clusterId} {...node} />
      ))}
      {!isOver && areDone && <Spinner label="Finishing" showLabel />}
      {summary !== '' && <Summary text={summary} />}
      {challenge && (
        <ChallengeDialog
          challenge={{ webauthn_challenge: challenge, totp_challenge: false }}
          title={`the servers as ${run.params.login}`}
          isPresence={false}
          onAnswer={(assertion) => run.prove(assertion)}
          onCancel={() => run.stop()}
        />
      )}
    </section>
  )
}

/** A command that ran before, as its recordings tell it. */
export function PastRun({ clusterId, past }: { clusterId: string; past: Extract<Entry, { kind: 'ran' }> }) {
  return (
    <section className={styles['run']} aria-label="Command that ran">
      {past.command !== '' && <RunHead command={past.command} />}
      {past.results.map((result) => (
        <PastNode key={result.session_id} clusterId={clusterId} result={result} />
      ))}
      {past.summary !== '' && <Summary text={past.summary} />}
    </section>
  )
}

function PastNode({ clusterId, result }: { clusterId: string; result: CommandResult }) {
  const { data, error } = useQuery(recordedOutput(clusterId, result.session_id))
  return (
    <NodeResult
      clusterId={clusterId}
      hostname={result.node_name || result.node_id}
      sid={result.session_id}
      output={data?.output ?? ''}
      problem={error ? `What it printed cannot be shown: ${error.message}` : ''}
      state={data || error ? 'done' : 'loading'}
      exitCode={data?.exitCode}
    />
  )
}

function RunHead({ command, login, children }: { command: string; login?: string; children?: React.ReactNode }) {
  return (
    <div className={styles['head']}>
      <code className={styles['asked']}>{command}</code>
      {login !== undefined && <span className="muted sm nowrap">as {login}</span>}
      <span className="grow" />
      {children}
    </div>
  )
}

function Summary({ text }: { text: string }) {
  return (
    <div className={styles['summary']}>
      <p className="muted sm">Summary by the assistant</p>
      <Markdown text={text} />
    </div>
  )
}
