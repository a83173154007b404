import { routePath } from '@sallyport/wire/routes.ts'
import { pushPath } from '../../parts/navigation.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Tile } from '../../ui/Tile.tsx'
import { tiles } from './kinds.ts'
import { useIntegrations } from './use-integrations.ts'
import styles from './Integrations.module.css'

const rules = { integrations: 'integration: create', plugins: 'plugin: create' } as const

/** What can be enrolled. */
export function Tiles() {
  const { acl } = useUserContext()
  const { rows = [] } = useIntegrations()
  return (
    <ul className={styles['tiles']} aria-label="Integrations to enroll">
      {tiles.map(({ type, name, line, hosting, icon, area }) => {
        const may = acl[area].create
        const enrolled = rows.filter(({ kind }) => kind === type).length
        return (
          <li key={type}>
            <Tile
              mark={<Icon of={icon} size={20} />}
              over={hosting}
              name={<span className="strong">{name}</span>}
              line={line}
              disabled={!may}
              onClick={() => pushPath(routePath('newIntegration', { type }))}
              end={
                may ? (
                  <Badge tone={enrolled > 0 ? 'ok' : 'outline'}>{enrolled > 0 ? `Enrolled (${enrolled})` : 'Guided'}</Badge>
                ) : (
                  <Badge tone="outline">Needs {rules[area]}</Badge>
                )
              }
            />
          </li>
        )
      })}
    </ul>
  )
}
