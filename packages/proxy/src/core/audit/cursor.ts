/** The place after an event, as text that survives every kind of URL: base64url of `{t, uid}`. */
import { z } from 'zod'

const cursorSchema = z.object({ t: z.number().int(), uid: z.string().min(1).max(64) })
export type Cursor = z.output<typeof cursorSchema>

export const encodeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Undefined for the empty key and for one that is none of ours: both mean the beginning. */
export function decodeCursor(text: string): Cursor | undefined {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  } catch {
    return undefined
  }
}
