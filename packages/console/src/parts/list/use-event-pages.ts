import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'

interface EventPage {
  events: AuditEventWire[]
  startKey: string
}

/**
 * Events of a range, newest first, fetched in large pages; older ones on demand. `key` names the call and its input;
 * while another range loads, the rows of the last one stay (`isPlaceholderData`).
 */
export function useEventPages(
  key: readonly unknown[],
  fetchPage: (startKey: string | undefined, signal: AbortSignal) => Promise<EventPage>,
  enabled = true,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam || undefined, signal),
    getNextPageParam: (last) => last.startKey || undefined,
    placeholderData: keepPreviousData,
    enabled,
  })
  const events = useMemo(() => query.data?.pages.flatMap((page) => page.events), [query.data])
  return { query, events }
}
export type EventPages = ReturnType<typeof useEventPages>
