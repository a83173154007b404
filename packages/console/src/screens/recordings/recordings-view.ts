import * as z from 'zod/mini'
import type { Recording } from '@sallyport/wire/entities/recording.ts'
import type { Draft } from '../../parts/list/use-draft.ts'
import { wholeListShape } from '../../parts/list/use-whole-list.ts'
import type { Range } from '../../parts/range/range.ts'
import { rangeShape } from '../../parts/range/use-range.ts'
import type { SetSearch } from '../../parts/use-search.ts'
import type { Zone } from '../../ui/dates.ts'

export const recordingsList = {
  order: { fields: ['created', 'name', 'users', 'duration'], descending: true },
  size: 50,
  keyOf: (recording: Recording): string => recording.sid,
} as const

/** What the address of the screen holds. With `in` the text is looked for on the recorded screens. */
export const recordingsSearch = z.object({
  ...rangeShape,
  ...wholeListShape(recordingsList.order),
  in: z.optional(z.enum(['output'])),
})
export type RecordingsAddress = z.output<typeof recordingsSearch>

/** What both views of the screen have in common. */
export interface RecordingsView {
  clusterId: string
  address: RecordingsAddress
  setAddress: SetSearch<RecordingsAddress>
  zone: Zone
  range: Range
  setRange: (range: Range) => void
  q: string
  draft: Draft
}
