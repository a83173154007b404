import {
  fileTransferEvents,
  fileTransferEventWire,
  parseSize,
  peopleEvent,
  peopleWire,
  proxyTextEvent,
  proxyTextWire,
  type FileTransferEvent,
} from '@sallyport/wire/sockets/terminal.ts'
import * as z from 'zod/mini'
import { personOf, type SessionState } from './session-state.ts'

/** What an event frame means for a terminal. */
export type SessionEvent =
  | { kind: 'change'; change: Pick<SessionState, 'remoteSize' | 'people' | 'transfer'> }
  /** A request to move a file was decided. */
  | { kind: 'transferOver'; event: FileTransferEvent }
  /** So many bytes that follow are the server's own; with a text they are a notice. */
  | { kind: 'text'; bytes: number; text: string | undefined }
  | { kind: 'other' }

const resize = z.object({ size: z.string() })
const other: SessionEvent = { kind: 'other' }

/** Throws on a known event that cannot be read. */
export function readSessionEvent(value: { event: string }): SessionEvent {
  switch (value.event) {
    case 'resize': {
      const remoteSize = parseSize(resize.parse(value).size)
      return remoteSize ? { kind: 'change', change: { remoteSize } } : other
    }
    case peopleEvent: {
      const { parties, state, waitingFor } = peopleWire.parse(value)
      const persons = parties?.map(personOf)
      return { kind: 'change', change: { people: { state, waitingFor, ...(persons && { parties: persons }) } } }
    }
    case proxyTextEvent: {
      const { bytes, text } = proxyTextWire.parse(value)
      return { kind: 'text', bytes, text }
    }
    case fileTransferEvents.request:
      return { kind: 'change', change: { transfer: fileTransferEventWire.parse(value) } }
    case fileTransferEvents.approve:
    case fileTransferEvents.deny:
      return { kind: 'transferOver', event: fileTransferEventWire.parse(value) }
    default:
      return other
  }
}
