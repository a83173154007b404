import * as z from 'zod/mini'
import type { Draft } from '../../parts/list/use-draft.ts'
import type { Range } from '../../parts/range/range.ts'
import { rangeShape } from '../../parts/range/use-range.ts'
import type { Zone } from '../../ui/dates.ts'

/** What the address of the screen holds. With `in` the text is looked for on the recorded screens. */
export const recordingsSearch = z.object({
  ...rangeShape,
  q: z.optional(z.string()),
  in: z.optional(z.enum(['output'])),
  sort: z.optional(z.string().check(z.regex(/^(name|users|duration|created):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
})
export type RecordingsAddress = z.output<typeof recordingsSearch>

/** What both views of the screen have in common. */
export interface RecordingsView {
  clusterId: string
  address: RecordingsAddress
  setAddress: (fields: Partial<RecordingsAddress>) => void
  zone: Zone
  range: Range
  setRange: (range: Range) => void
  q: string
  draft: Draft
}
