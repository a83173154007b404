import { useMemo } from 'react'
import { searchSessions } from '@sallyport/wire/calls/events.ts'
import { toRecording } from '@sallyport/wire/entities/recording.ts'
import type { Recording } from '@sallyport/wire/entities/recording.ts'
import { auditFetchLimit } from '@sallyport/wire/limits.ts'
import { config, request } from '../../api/page.ts'
import { useEventPages } from '../../parts/list/use-event-pages.ts'
import { rangeTimes } from '../../parts/range/range.ts'
import { formatDate } from '../../ui/dates.ts'
import { useNow } from '../../ui/use-now.ts'
import type { RecordingsView } from './recordings-view.ts'

const { dateTimeFormat } = config.loc

/** Whether every word of the text stands somewhere in the row, as it is shown. */
function matches(recording: Recording, words: readonly string[], time: string): boolean {
  const text = [
    recording.hostname,
    recording.users,
    recording.sid,
    recording.durationText,
    recording.description,
    recording.recordingType,
    time,
  ]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

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
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    const recordings = pages.events?.map(toRecording)
    return words.length === 0
      ? recordings
      : recordings?.filter((recording) => matches(recording, words, formatDate(recording.createdDate, dateTimeFormat, zone)))
  }, [pages.events, q, zone])
  return { pages, rows }
}
export type RecordingRows = ReturnType<typeof useRecordingRows>
