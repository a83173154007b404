import { useQuery } from '@tanstack/react-query'
import { Play, RotateCcw } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { nodes as nodesCall } from '@sallyport/wire/calls/nodes.ts'
import type { CommandProposal } from '@sallyport/wire/entities/assistant.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { commandLimit } from '@sallyport/wire/limits.ts'
import type { CommandParams } from '@sallyport/wire/sockets/command.ts'
import { callQuery } from '../../api/queries.ts'
import { ExpressionField } from '../expression/ExpressionField.tsx'
import { queryWords } from '../expression/query-words.ts'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { boxClass, Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { isRisky, manyServers, queryOf } from './entries.ts'
import styles from './Assist.module.css'

const previewLimit = 100

export interface ProposalCardProps {
  clusterId: string
  proposal: CommandProposal
  onRun: (params: Pick<CommandParams, 'command' | 'query' | 'login'>) => void
}

/** A command as the assistant proposes it. What runs is what stands here then, and only when the viewer says so. */
export function ProposalCard({ clusterId, proposal, onRun }: ProposalCardProps) {
  const proposed = queryOf(proposal)
  const [text, setText] = useState(proposed)
  /** What the servers are looked up with. */
  const [query, setQuery] = useState(proposed)
  const [command, setCommand] = useState(proposal.command)
  const [chosen, setChosen] = useState(proposal.login)
  const id = useId()
  const found = useQuery({
    ...callQuery(nodesCall, { params: { clusterId }, query: { query, limit: previewLimit } }),
    enabled: query !== '',
  })
  const servers = useMemo(() => found.data?.items.map((wire) => toNode(wire, clusterId)), [found.data, clusterId])
  const count = Math.max(found.data?.totalCount ?? 0, servers?.length ?? 0)
  const logins = useMemo(() => sharedLogins(servers ?? []), [servers])
  const words = useMemo(() => queryWords((servers ?? []).map(({ labels }) => labels)), [servers])
  const login = chosen !== undefined && logins.includes(chosen) ? chosen : logins[0]
  const isChanged = text !== proposed || command !== proposal.command || (chosen !== undefined && chosen !== proposal.login)
  const whyNot = whyNotRun({ text, command, isLooking: found.isFetching, failed: found.error !== null, count, login })
  const run = () => {
    if (text !== query || login === undefined) return setQuery(text)
    const params = { command, query, login }
    if (count <= manyServers && !isRisky(command)) return onRun(params)
    const servers = count === 1 ? '1 server' : `${count} servers`
    confirm({
      title: `Run on ${servers}?`,
      body: (
        <>
          <code className={styles['asked']}>{command}</code> runs as {login} on {servers}, at once.
        </>
      ),
      action: 'Run command',
      danger: true,
      typeToConfirm: { label: `Type “${servers}”`, text: servers },
      run: () => onRun(params),
    })
  }
  const reset = () => {
    setText(proposed)
    setQuery(proposed)
    setCommand(proposal.command)
    setChosen(proposal.login)
  }
  return (
    <section className={styles['card']} aria-label="Proposed command">
      <div className={styles['where']}>
        <div onBlur={() => setQuery(text)}>
          <ExpressionField
            label="Run on"
            words={words}
            value={text}
            onValue={setText}
            onSubmit={setQuery}
            error={found.error ? 'This query is not valid' : undefined}
          />
        </div>
        <Select
          label="as"
          options={logins.map((value) => ({ value, label: value }))}
          value={login}
          onValue={setChosen}
          placeholder="No login"
          disabled={logins.length === 0}
        />
      </div>
      <Field id={id} label="Command" error={command.trim() === '' ? 'Enter a command' : undefined}>
        <div className={boxClass({ multi: true })}>
          <textarea
            id={id}
            className={styles['command']}
            rows={Math.min(8, command.split('\n').length)}
            spellCheck={false}
            autoComplete="off"
            maxLength={commandLimit}
            value={command}
            onChange={(event) => setCommand(event.target.value)}
          />
        </div>
      </Field>
      <Matched servers={servers} count={count} isLooking={found.isFetching} hasLogin={logins.length > 0} />
      <div className="row">
        <Button kind="primary" icon={Play} disabledReason={whyNot} onClick={run}>
          Run
        </Button>
        {isChanged && (
          <Button kind="quiet" icon={RotateCcw} onClick={reset}>
            Reset
          </Button>
        )}
      </div>
    </section>
  )
}

function whyNotRun(now: {
  text: string
  command: string
  isLooking: boolean
  failed: boolean
  count: number
  login: string | undefined
}): string | undefined {
  if (now.text.trim() === '') return 'Say which servers it runs on'
  if (now.command.trim() === '') return 'Enter a command'
  if (now.isLooking) return 'The servers are being looked up'
  if (now.failed) return 'This query is not valid'
  if (now.count === 0) return 'No server matches'
  return now.login === undefined ? 'No login works on all of them' : undefined
}

/** Before it runs, one sees where. */
function Matched(props: { servers: readonly Node[] | undefined; count: number; isLooking: boolean; hasLogin: boolean }) {
  const { servers, count, isLooking, hasLogin } = props
  if (isLooking && !servers) return <Spinner label="Looking up servers" showLabel />
  if (!servers) return null
  if (servers.length === 0) return <p className="muted sm">No server matches.</p>
  const [first, rest] = [servers.slice(0, 6), servers.slice(6)]
  return (
    <div className={styles['matched']} role="status">
      <span className="strong">{count === 1 ? '1 server' : `${count} servers`}</span>
      {first.map(({ id, hostname }) => (
        <span key={id} className={styles['host']}>
          {hostname}
        </span>
      ))}
      {count > first.length && <span title={rest.map(({ hostname }) => hostname).join(', ')}>and {count - first.length} more</span>}
      {!hasLogin && <span className={styles['bad']}>No login works on all of them.</span>}
    </div>
  )
}

/** Logins that work on every one of them; root is not the first to be taken. */
function sharedLogins(servers: readonly Node[]): string[] {
  const [first, ...rest] = servers
  const shared = (first?.sshLogins ?? []).filter((login) => rest.every(({ sshLogins }) => sshLogins.includes(login)))
  return shared.toSorted((a, b) => Number(a === 'root') - Number(b === 'root'))
}
