import type { ConnectionDiagnostic, ConnectionTrace } from '@sallyport/wire/entities/connection-diagnostic.ts'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import type { Status } from '../../ui/StatusGlyph.tsx'
import styles from './Discover.module.css'

const names: Record<string, string> = {
  RBAC_NODE: 'Access to the server',
  CONNECTIVITY: 'Connection',
  RBAC_PRINCIPAL: 'Whom you come as',
  NODE_PRINCIPAL: 'Login on the server',
  RBAC_DATABASE: 'Access to the database',
  RBAC_DATABASE_LOGIN: 'Permission for user and name',
  DATABASE_DB_USER: 'User in the database',
  DATABASE_DB_NAME: 'Name in the database',
  RBAC_KUBE: 'Access to the cluster',
  KUBE_PRINCIPAL: 'Permission in the cluster',
  UNKNOWN_ERROR: 'Other conditions',
}
const statuses: Record<string, { status: Status; word: string }> = {
  success: { status: 'ok', word: 'Passed' },
  failed: { status: 'danger', word: 'Failed' },
}
const unknown = { status: 'warn', word: 'Unknown' } as const

/** What a test found, step by step; the proxy's own words stand as they are. */
export function TraceList({ outcome }: { outcome: ConnectionDiagnostic }) {
  return (
    <section className={styles['traces']} aria-label="Result of the test">
      <p className="strong" role="status">
        {outcome.success ? 'You can connect.' : 'You cannot connect yet.'}
      </p>
      <ol>
        {outcome.traces.map((trace, index) => (
          <Trace key={index} trace={trace} />
        ))}
      </ol>
    </section>
  )
}

function Trace({ trace: { traceType, status, details, error } }: { trace: ConnectionTrace }) {
  const look = statuses[status] ?? unknown
  return (
    <li>
      <StatusGlyph status={look.status} label={look.word} />
      <div className="grow">
        <div>{names[traceType] ?? traceType}</div>
        {details !== '' && <div className="t2 sm">{details}</div>}
        {error !== '' && (
          <details>
            <summary>Show the error</summary>
            <pre className="mono sm">{error}</pre>
          </details>
        )}
      </div>
    </li>
  )
}
