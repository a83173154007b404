/**
 * Leaves out of lists what somebody's roles do not show them: of a whole list, or of the events of a watch, one line each.
 * Both as objects and as the tables that kubectl prints.
 */
import { Transform } from 'node:stream'
import type { TransformCallback } from 'node:stream'
import { z } from 'zod'
import { accessDenied } from '../../core/errors.ts'
import type { KubernetesPlace } from '../../core/access/kubernetes-access.ts'

/** A list that has to be filtered is held in memory as a whole; larger ones are asked for in pages. */
const listLimit = 32 * 1024 * 1024
/** One event of a watch. */
const eventLimit = 8 * 1024 * 1024
const lineFeed = 0x0a

export type Shows = (place: KubernetesPlace) => boolean

const metadata = z.looseObject({ name: z.string().default(''), namespace: z.string().default('') })
const object = z.looseObject({ metadata })
const row = z.looseObject({ object })
const listForm = z.looseObject({
  kind: z.string().default(''),
  items: z.array(object).nullish(),
  rows: z.array(row).nullish(),
})
const eventForm = z.looseObject({ type: z.string(), object: z.looseObject({ kind: z.string().default('') }) })

const isShown = (shows: Shows, { metadata: { namespace, name } }: z.output<typeof object>): boolean => shows({ namespace, name })

/** What may be seen of a list or a table. Anything else is not passed on: nobody knows what it would show. */
function filterList(value: unknown, shows: Shows): unknown {
  const list = listForm.parse(value)
  if (list.kind === 'Status') return list
  if (list.kind === 'Table') return { ...list, rows: (list.rows ?? []).filter((each) => isShown(shows, each.object)) }
  if (!list.kind.endsWith('List')) throw new TypeError(`a list of the kind ${list.kind} cannot be filtered`)
  return { ...list, items: (list.items ?? []).filter((item) => isShown(shows, item)) }
}

/** Undefined: the event tells of nothing that may be seen. */
function filterEvent(value: unknown, shows: Shows): unknown {
  const event = eventForm.parse(value)
  // They tell how far the watch has come, or why it ends.
  if (event.type === 'BOOKMARK' || event.type === 'ERROR') return event
  if (event.object.kind !== 'Table') return isShown(shows, object.parse(event.object)) ? event : undefined
  const table = filterList(event.object, shows) as { rows: unknown[] }
  return table.rows.length === 0 ? undefined : { ...event, object: table }
}

abstract class Pieces extends Transform {
  protected parts: Buffer[] = []
  #length = 0

  protected keep(bytes: Buffer, limit: number): void {
    this.parts.push(bytes)
    this.#length += bytes.length
    if (this.#length > limit) throw accessDenied('the answer is too large to be filtered by your roles; ask for less of it at a time')
  }

  protected drain(): unknown {
    const text = Buffer.concat(this.parts).toString('utf8')
    this.parts = []
    this.#length = 0
    return text.trim() === '' ? undefined : JSON.parse(text)
  }
}

class ListFilter extends Pieces {
  readonly #shows: Shows

  constructor(shows: Shows) {
    super()
    this.#shows = shows
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    settle(done, () => void this.keep(bytes, listLimit))
  }

  override _flush(done: TransformCallback): void {
    settle(done, () => void this.push(JSON.stringify(filterList(this.drain(), this.#shows))))
  }
}

class WatchFilter extends Pieces {
  readonly #shows: Shows

  constructor(shows: Shows) {
    super()
    this.#shows = shows
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    settle(done, () => {
      let from = 0
      for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, from)) {
        this.keep(bytes.subarray(from, at), eventLimit)
        this.#pass()
        from = at + 1
      }
      if (from < bytes.length) this.keep(bytes.subarray(from), eventLimit)
    })
  }

  override _flush(done: TransformCallback): void {
    settle(done, () => this.#pass())
  }

  #pass(): void {
    const value = this.drain()
    const event = value === undefined ? undefined : filterEvent(value, this.#shows)
    if (event !== undefined) this.push(`${JSON.stringify(event)}\n`)
  }
}

function settle(done: TransformCallback, work: () => void): void {
  try {
    work()
    done()
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
  }
}

export const createListFilter = (verb: 'list' | 'watch', shows: Shows): Transform =>
  verb === 'watch' ? new WatchFilter(shows) : new ListFilter(shows)

/** The media types of what a client accepts that can be filtered: JSON, and tables of it. */
export function filterableTypes(accept: string): string {
  const json = accept
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type.startsWith('application/json'))
  return json.length > 0 ? json.join(',') : 'application/json'
}
