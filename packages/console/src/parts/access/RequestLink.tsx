import type { RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import { RouteLink } from '../RouteLink.tsx'
import { formatSearch } from '../search-string.ts'

/** In the row of what the viewer may only ask for. `name`: as people know it. */
export function RequestLink({ kind, id, name }: { kind: RequestableKind; id: string; name: string }) {
  return (
    <RouteLink
      {...rowPrimary}
      className={buttonClass({ size: 24 })}
      to={routePath('newRequest', {}) + formatSearch({ kind, target: id, name })}
      aria-label={`Request access to ${name}`}
    >
      Request access
    </RouteLink>
  )
}
