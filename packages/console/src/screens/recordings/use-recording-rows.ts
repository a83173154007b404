import { useMemo } from 'react'
import { searchSessions } from '@sallyport/wire/calls/events.ts'
import { toRecording } from '@sallyport/wire/entities/recording.ts'
import type { Recording } from '@sallyport/wire/entities/recording.ts'
import { auditFetchLimit } from '@sallyport/wire/limits.ts'
import { config, request } from '../../api/page.ts'
import { useEventPages } from '../../parts/list/use-event-pages.ts'
import { wordsIn } from '../../parts/list/words-in.ts'
import { rangeTimes } from '../../parts/range/range.ts'
import { formatDate } from '../../ui/dates.ts'
import { useNow } from '../../ui/use-now.ts'
import type { RecordingsView } from './recordings-view.ts'

const { dateTimeFormat } = config.loc

/** What a search looks at: the row as it is shown. */
const textOf = (recording: Recording, time: string): string =>
  [recording.hostname, recording.users, recording.sid, recording.durationText, recording.description, recording.recordingType, time].join(
    ' ',
  )

/** Recordings of the range, those that hold every word of the text. */
export function useRecordingRows({ clusterId, range, zone, q }: RecordingsView, enabled: boolean) {
  const { from, to } = rangeTimes(range, useNow(), zone)
  const query = { from: from.toISOString(), to: to.toISOString(), limit: auditFetchLimit }
  const pages = useEventPages(
    [searchSessions.id, { params: { clusterId }, query }],
    (startKey, signal) =>
      request(searchSessions, { params: { clusterId }, query: { ...query, ...(startKey && { startKey }) } }, { signal }),
    enabled,
  )
  const rows = useMemo(() => {
    const recordings = pages.events?.map(toRecording)
    const keep = wordsIn(q, (recording: Recording) => textOf(recording, formatDate(recording.createdDate, dateTimeFormat, zone)))
    return keep ? recordings?.filter(keep) : recordings
  }, [pages.events, q, zone])
  return { pages, rows }
}
export type RecordingRows = ReturnType<typeof useRecordingRows>
