import { LockedFeature } from '../../parts/LockedFeature.tsx'
import { PageHead } from '../../ui/PageHead.tsx'

/** In place of everything about requests where the plan of the cluster has none. */
export function NotInPlan() {
  return (
    <>
      <PageHead title="Access requests" />
      <LockedFeature feature="accessRequests" title="Access requests are locked">
        This plan does not include access requests. Administrators give roles to people directly.
      </LockedFeature>
    </>
  )
}
