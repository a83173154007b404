import { Plus } from 'lucide-react'
import { routePath } from '@sallyport/wire/routes.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { RouteLink } from './RouteLink.tsx'
import { formatSearch } from './search-string.ts'
import { useUserContext } from './user-context.tsx'
import { useClusterId } from './use-route.ts'

export interface EnrollButtonProps {
  /** As the wizard knows it: `server`. */
  kind: string
  label: string
  /** The one thing to do here. */
  primary?: boolean
}

/** To the wizard, with the kind chosen; or why not. */
export function EnrollButton({ kind, label, primary = false }: EnrollButtonProps) {
  const { acl, cluster } = useUserContext()
  const clusterId = useClusterId()
  const reason =
    clusterId !== cluster.clusterId
      ? "Enroll from that cluster's own console"
      : acl.tokens.create
        ? undefined
        : 'You need permission to create join tokens'
  if (reason !== undefined)
    return (
      <Button icon={Plus} disabledReason={reason}>
        {label}
      </Button>
    )
  return (
    <RouteLink className={buttonClass(primary ? { kind: 'primary' } : {})} to={routePath('discover') + formatSearch({ kind })}>
      <Icon of={Plus} />
      {label}
    </RouteLink>
  )
}
