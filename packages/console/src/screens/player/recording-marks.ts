/** Moments of a recording that have a name: commands, people who come and go, changes of the window. */
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { parseSize } from '@sallyport/wire/sockets/terminal.ts'

export type MarkKind = 'command' | 'join' | 'leave' | 'resize'
export interface Mark {
  /** Milliseconds. */
  at: number
  kind: MarkKind
  text: string
  /** A command that ended with another code than 0. */
  failed?: boolean
}

/** Marks that stand too close to each other to be told apart with a finger. */
export interface MarkGroup {
  at: number
  marks: readonly Mark[]
}

/** Going back from a mark that is just being played goes to the one before it. */
const justPassed = 1000

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What an event that is no output has to say, placed at a time; undefined for those that mark nothing. */
export function markOf(event: AuditEventWire, at: number): Mark | undefined {
  const user = text(event.user) || 'Someone'
  switch (event.event) {
    case 'resize': {
      const size = parseSize(text(event['size']))
      return size && { at, kind: 'resize', text: `Window ${size.columns} × ${size.rows}` }
    }
    case 'session.join':
      return { at, kind: 'join', text: `${user} joined` }
    case 'session.leave':
      return { at, kind: 'leave', text: `${user} left` }
    case 'exec':
      return commandMark({ at, text: text(event['command']), exit: Number(event['exitCode']) || 0 })
    case 'session.command': {
      const words = Array.isArray(event['argv']) ? event['argv'].map(text) : []
      return commandMark({ at, text: [text(event['program']), ...words].join(' ').trim(), exit: Number(event['return_code']) || 0 })
    }
    default:
      return undefined
  }
}

export function commandMark({ at, text: command, exit = 0 }: { at: number; text: string; exit?: number | undefined }): Mark | undefined {
  if (command === '') return undefined
  return { at, kind: 'command', text: exit === 0 ? command : `${command} (ended with ${exit})`, ...(exit !== 0 && { failed: true }) }
}

/** `apart`: the part of the recording that a mark takes. */
export function groupMarks(marks: readonly Mark[], duration: number, apart: number): MarkGroup[] {
  const groups: { at: number; marks: Mark[] }[] = []
  for (const mark of marks) {
    const group = groups.at(-1)
    if (group && mark.at - group.at < duration * apart) group.marks.push(mark)
    else groups.push({ at: mark.at, marks: [mark] })
  }
  return groups
}

/** The mark after a time, or the one before it. */
export function markFrom(marks: readonly Mark[], ms: number, by: 1 | -1): Mark | undefined {
  return by === 1 ? marks.find(({ at }) => at > ms) : marks.findLast(({ at }) => at < ms - justPassed)
}
