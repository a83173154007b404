import { routePath } from '@sallyport/wire/routes.ts'
import { pushPath } from '../../parts/navigation.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { tiles } from './kinds.ts'
import { useIntegrations } from './use-integrations.ts'
import styles from './Integrations.module.css'

const rule = 'integration: create'

/** What can be enrolled. */
export function Tiles() {
  const { acl } = useUserContext()
  const { rows = [] } = useIntegrations()
  return (
    <ul className={styles['tiles']} aria-label="Integrations to enroll">
      {tiles.map(({ type, name, line, hosting, icon }) => {
        const enrolled = rows.filter(({ kind }) => kind === type).length
        return (
          <li key={type}>
            <button
              type="button"
              className={styles['tile']}
              disabled={!acl.integrations.create}
              onClick={() => pushPath(routePath('newIntegration', { type }))}
            >
              <span className={styles['mark']}>
                <Icon of={icon} size={20} />
              </span>
              <span className="grow">
                <small>{hosting}</small>
                <span className="strong">{name}</span>
                <small>{line}</small>
              </span>
              {acl.integrations.create ? (
                <Badge tone={enrolled > 0 ? 'ok' : 'outline'}>{enrolled > 0 ? `Enrolled (${enrolled})` : 'Guided'}</Badge>
              ) : (
                <Badge tone="outline">Needs {rule}</Badge>
              )}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
