/** One file on its way, as the viewer sees it. */
import type { FilePlace } from '../../../api/file-client.ts'

export interface TransferPlace extends FilePlace {
  /** `login@host`. */
  readonly title: string
  /** The session whose moderators have to allow each file. */
  readonly moderatedSid?: string
}

export type TransferState =
  | 'waiting'
  /** The viewer's key is asked for. */
  | 'proving'
  /** The moderators are asked. */
  | 'asking'
  | 'running'
  | 'done'
  | 'failed'
  /** The name is taken on the server; the viewer decides. */
  | 'conflict'
  | 'cancelled'

export interface TransferItem {
  readonly id: number
  readonly place: TransferPlace
  readonly direction: 'download' | 'upload'
  /** What is read: the path of a download. Where to: the folder of an upload. */
  readonly location: string
  readonly name: string
  readonly state: TransferState
  readonly loaded: number
  /** Bytes in all; undefined while nobody has told. */
  readonly total: number | undefined
  /** Epoch milliseconds at which bytes began to flow. */
  readonly since: number | undefined
  /** Bytes per second so far. */
  readonly speed: number
  readonly error: string | undefined
  /** The path of a download is a folder, which comes as one file when that is asked for. */
  readonly isFolder: boolean
  /** Bytes that came before it broke off: it goes on from there. */
  readonly kept: number
}

export const isActive = ({ state }: TransferItem): boolean =>
  state === 'waiting' || state === 'proving' || state === 'asking' || state === 'running' || state === 'conflict'

/** Between 0 and 1; undefined while the size is unknown. */
export function shareOf({ state, loaded, total }: TransferItem): number | undefined {
  if (state === 'done') return 1
  if (total === undefined) return undefined
  return total === 0 ? 0 : Math.min(1, loaded / total)
}

/** Share of everything that is under way, by size. */
export function shareOfAll(items: readonly TransferItem[]): number {
  const known = items.filter(({ state }) => state !== 'cancelled' && state !== 'failed')
  const total = known.reduce((sum, item) => sum + (item.total ?? 0), 0)
  return total === 0 ? 0 : known.reduce((sum, item) => sum + (item.state === 'done' ? (item.total ?? 0) : item.loaded), 0) / total
}

/** `a.txt` becomes `a (1).txt`, and that `a (2).txt`. */
export function otherName(name: string): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  const [, before = stem, count = '0'] = /^(.*) \((\d{1,6})\)$/s.exec(stem) ?? []
  return `${before} (${Number(count) + 1})${ending}`
}

/** A folder as an upload names it: always with a slash at its end. */
export const asFolder = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
