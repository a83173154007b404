import { config } from '../../api/page.ts'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import type { Zone } from '../../ui/dates.ts'
import type { EventPages } from './use-event-pages.ts'

/** How far back the loaded events reach, and the way further. Nothing when everything of the range is here. */
export function OlderNote({ pages, zone, action }: { pages: EventPages; zone: Zone; action: string }) {
  const { query, events } = pages
  const oldest = events?.at(-1)
  if (!query.hasNextPage || !oldest) return null
  return (
    <span className="row">
      Loaded {events?.length.toLocaleString('en')}, oldest {formatDate(new Date(oldest.time), config.loc.dateTimeFormat, zone)}
      <Button kind="quiet" size={24} busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {action}
      </Button>
    </span>
  )
}
