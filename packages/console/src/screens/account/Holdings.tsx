import { Badge } from '../../ui/Badge.tsx'
import styles from './Account.module.css'

/** What the viewer holds: roles, and the traits that fill their templates. To be read, not changed here. */
export function Holdings({ roles, traits }: { roles: readonly string[]; traits: Readonly<Record<string, readonly string[]>> }) {
  const filled = Object.entries(traits)
    .filter(([, values]) => values.length > 0)
    .toSorted(([a], [b]) => a.localeCompare(b))
  return (
    <dl className={styles['holdings']}>
      <div>
        <dt>Roles</dt>
        <dd>{roles.length === 0 ? <span className="muted">none</span> : roles.map((role) => <Badge key={role}>{role}</Badge>)}</dd>
      </div>
      {filled.map(([name, values]) => (
        <div key={name}>
          <dt className="mono">{name}</dt>
          <dd>
            {values.map((value) => (
              <span key={value} className={`mono ${styles['value']}`}>
                {value}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}
