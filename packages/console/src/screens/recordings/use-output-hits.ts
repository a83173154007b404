import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { search } from '@sallyport/wire/calls/recordings.ts'
import { toRecording } from '@sallyport/wire/entities/recording.ts'
import { request } from '../../api/page.ts'
import { rangeTimes } from '../../parts/range/range.ts'
import { useNow } from '../../ui/use-now.ts'
import type { Hit } from './hit-columns.tsx'
import type { RecordingsView } from './recordings-view.ts'

/** Lines of the range that hold the text, a page at a time. */
export function useOutputHits({ clusterId, range, zone, q }: RecordingsView, enabled: boolean) {
  const { from, to } = rangeTimes(range, useNow(), zone)
  const query = { query: q, from: from.toISOString(), to: to.toISOString() }
  const pages = useInfiniteQuery({
    queryKey: [search.id, { params: { clusterId }, query }],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      request(search, { params: { clusterId }, query: { ...query, ...(pageParam && { startKey: pageParam }) } }, { signal }),
    getNextPageParam: (last) => last.startKey || undefined,
    placeholderData: keepPreviousData,
    enabled: enabled && q !== '',
  })
  const hits = useMemo(
    () =>
      q === ''
        ? []
        : pages.data?.pages.flatMap((page, number) => {
            const recordings = new Map(page.recordings.map((event) => [event['sid'], toRecording(event)]))
            return page.hits.flatMap((hit, index): Hit[] => {
              const recording = recordings.get(hit.sid)
              return recording ? [{ ...hit, key: `${number}.${index}`, recording }] : []
            })
          }),
    [q, pages.data],
  )
  return { pages, hits }
}
export type OutputFindings = ReturnType<typeof useOutputHits>
