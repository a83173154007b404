import type { ReactNode } from 'react'
import type { RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { EnrollButton } from '../EnrollButton.tsx'
import { RouteLink } from '../RouteLink.tsx'
import { formatSearch } from '../search-string.ts'
import { useClusterId } from '../use-route.ts'
import { useUserContext } from '../user-context.tsx'

export interface NoResourcesProps {
  /** As the wizard and access requests know them. */
  kind: string
  request: RequestableKind
  one: string
  many: string
  /** The rights to add one, where a join token is not enough. */
  mayAdd?: boolean
  /** What one gains by the first. */
  children: ReactNode
}

/** Nothing is filtered, and nothing is there: who may add one is led there, others learn why. */
export function NoResources({ kind, request, one, many, mayAdd = true, children }: NoResourcesProps) {
  const { acl, cluster } = useUserContext()
  const clusterId = useClusterId()
  const isOwn = clusterId === cluster.clusterId
  const mayEnroll = mayAdd && acl.tokens.create
  if (mayEnroll && isOwn)
    return (
      <EmptyState title={`Add your first ${one}`} actions={<EnrollButton kind={kind} label={`Enroll ${one}`} primary />}>
        {children}
      </EmptyState>
    )
  return (
    <EmptyState
      title={`No ${many} here`}
      actions={
        isOwn &&
        featureRules.newAccessRequest(acl) && (
          <RouteLink className={buttonClass({})} to={routePath('newRequest', {}) + formatSearch({ kind: request })}>
            Request access
          </RouteLink>
        )
      }
    >
      Either “{clusterId}” has none or your roles do not let you see them.{mayEnroll && " Enroll them from that cluster's own console."}
    </EmptyState>
  )
}
