import { OlderNote } from '../../parts/list/OlderNote.tsx'
import { widerRange } from '../../parts/range/range.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import type { AuditList } from './use-audit-list.ts'

/** Why the log shows nothing: the filter, or the range. */
export function AuditEmpty({ list }: { list: AuditList }) {
  const clear = <Button onClick={list.clear}>Clear filters</Button>
  if (list.events && list.events.length > 0) {
    return (
      <EmptyState plain title="Nothing matches" actions={clear}>
        None of the {list.events.length.toLocaleString('en')} loaded events fits the filter.
        <OlderNote pages={list.pages} zone={list.zone} action="Load older" />
      </EmptyState>
    )
  }
  const wider = widerRange(list.range)
  return (
    <EmptyState
      title="No events in this range"
      actions={
        <>
          {wider && (
            <Button kind="primary" onClick={() => list.setRange(wider)}>
              Widen range
            </Button>
          )}
          {list.types.length > 0 && clear}
        </>
      }
    >
      Try a longer range or fewer types.
    </EmptyState>
  )
}
