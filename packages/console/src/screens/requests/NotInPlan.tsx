import { LockKeyhole } from 'lucide-react'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PageHead } from '../../ui/PageHead.tsx'

/** In place of everything about requests where the plan of the cluster has none. */
export function NotInPlan() {
  return (
    <>
      <PageHead title="Access requests" />
      <EmptyState title="Access requests are locked">
        <span className="row">
          <Icon of={LockKeyhole} />
          This plan does not include access requests. Administrators give roles to people directly.
        </span>
      </EmptyState>
    </>
  )
}
