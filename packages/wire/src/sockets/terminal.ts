/**
 * The terminal socket's envelope: a protobuf message of three string fields, always in the order version, type,
 * payload, because some consoles read it by fixed offsets.
 *
 * 0A 01 '1'   12 01 <type>   1A <varint length> <UTF-8 payload>     (the payload field is left out when empty)
 */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { partyWire, sessionStateWire } from '../entities/session-tracker.ts'
import { terminalMaxDimension, terminalPayloadLimit } from '../limits.ts'

export const frameTypes = {
  raw: 'r',
  session: 's',
  audit: 'a',
  resize: 'w',
  close: 'c',
  challenge: 'n',
  fileTransferRequest: 'f',
  fileTransferDecision: 't',
  error: 'e',
  latency: 'l',
  /** Ours, from consoles that were asked for it: decimal number of bytes of output that are on the screen. */
  shown: 'k',
  /** The first frame of a shell in a pod: what it is for, as JSON. Before there is a session nothing is shown yet. */
  opening: 'k',
} as const
export type FrameType = (typeof frameTypes)[keyof typeof frameTypes]

export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError'
}

const utf8 = new TextEncoder()
const lenientUtf8 = new TextDecoder()

/** Bytes before the payload of a frame. */
export const frameHeaderLength = (payloadLength: number): number => (payloadLength === 0 ? 6 : payloadLength < 128 ? 8 : 9)

/** Writes what comes before a payload of this length. Throws when that is more than a frame may carry: split it first. */
export function writeFrameHeader(into: Uint8Array, at: number, type: FrameType, payloadLength: number): void {
  if (payloadLength > terminalPayloadLimit)
    throw new EnvelopeError(`payload of ${payloadLength} bytes; a frame carries at most ${terminalPayloadLimit}`)
  into[at] = 0x0a
  into[at + 1] = 1
  into[at + 2] = 0x31
  into[at + 3] = 0x12
  into[at + 4] = 1
  into[at + 5] = type.charCodeAt(0)
  if (payloadLength === 0) return
  into[at + 6] = 0x1a
  if (payloadLength < 128) into[at + 7] = payloadLength
  else {
    into[at + 7] = (payloadLength & 0x7f) | 0x80
    into[at + 8] = payloadLength >> 7
  }
}

/** One frame. Throws when the payload is longer than a frame may carry: split it first. */
export function encodeFrame(type: FrameType, payload: string | Uint8Array = ''): Uint8Array<ArrayBuffer> {
  const bytes = typeof payload === 'string' ? utf8.encode(payload) : payload
  const header = frameHeaderLength(bytes.length)
  const frame = new Uint8Array(header + bytes.length)
  writeFrameHeader(frame, 0, type, bytes.length)
  frame.set(bytes, header)
  return frame
}

export interface Frame {
  /** One character; may be a type that this version does not know. */
  type: string
  payload: Uint8Array
}

function varint(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0
  for (let index = 0; index < 4; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) throw new EnvelopeError('the frame ends inside a length')
    value |= (byte & 0x7f) << (7 * index)
    if (byte < 0x80) return { value, next: at + index + 1 }
  }
  throw new EnvelopeError('a length of the frame is too long')
}

/** Reads fields in any order and skips unknown length-delimited ones. Throws EnvelopeError on anything malformed. */
export function decodeFrame(bytes: Uint8Array): Frame {
  let at = 0
  let type = ''
  let payload: Uint8Array = new Uint8Array(0)
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0
    if ((tag & 7) !== 2) throw new EnvelopeError(`unexpected wire type ${tag & 7}`)
    const { value: length, next } = varint(bytes, at + 1)
    const end = next + length
    if (end > bytes.length) throw new EnvelopeError('the frame is shorter than its lengths say')
    const field = bytes.subarray(next, end)
    if (tag >> 3 === 2) type = lenientUtf8.decode(field)
    else if (tag >> 3 === 3) payload = field
    at = end
  }
  if ([...type].length !== 1) throw new EnvelopeError('the frame has no type')
  return { type, payload }
}

/**
 * Splits terminal output into payloads that fit a frame without cutting a UTF-8 character.
 * `rest` is an incomplete last character: put it in front of the next bytes.
 */
export function splitPayload(bytes: Uint8Array): { payloads: Uint8Array[]; rest: Uint8Array } {
  const complete = completeLength(bytes, bytes.length)
  const payloads: Uint8Array[] = []
  let start = 0
  while (start < complete) {
    const limit = Math.min(start + terminalPayloadLimit, complete)
    const end = limit === complete ? complete : Math.max(completeLength(bytes, limit), start + 1)
    payloads.push(bytes.subarray(start, end))
    start = end
  }
  return { payloads, rest: bytes.subarray(complete) }
}

/** The longest prefix of `bytes[0, end)` that does not end inside a UTF-8 character. Bytes that are no UTF-8 pass. */
export function completeLength(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back += 1) {
    const byte = bytes[end - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needs = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return byte < 0xf8 && needs > back ? end - back : end
  }
  return end
}

const dimension = z.int().check(z.minimum(1), z.maximum(terminalMaxDimension))

export const terminalParamsWire = z.object({
  server_id: z.optional(z.string().check(z.maxLength(1024))),
  login: z.optional(z.string().check(z.maxLength(255))),
  term: z.object({
    h: dimension,
    w: dimension,
  }),
  sid: z.optional(z.string().check(z.maxLength(64))),
  mode: z.optional(z.enum(['observer', 'moderator', 'peer', ''])),
  /** Ours: somebody comes back to the seat of this token, and has the output up to this place. */
  resume: z.optional(z.object({ token: z.string().check(z.maxLength(64)), offset: z.int().check(z.minimum(0)) })),
})
export type TerminalParams = z.output<typeof terminalParamsWire>

/** Payload of a resize frame. The server reads `size` only. */
export const resizeWire = z.object({
  event: z._default(z.literal('resize'), 'resize'),
  width: z.optional(z.number()),
  height: z.optional(z.number()),
  size: z.string(),
})

const place = z.string().check(z.minLength(1), z.maxLength(4096))

/** So much of a request's events may be its paths; the events of others must fit beside them. */
const longestPaths = 8192

/** Payload of a file transfer request: leave to move a file out of or into a moderated session. */
export const fileTransferRequestWire = z
  .object({
    download: z.boolean(),
    location: place,
    /** Of an upload. */
    filename: z._default(z.string().check(z.maxLength(1024)), ''),
  })
  .check(z.refine(({ location, filename }) => utf8.encode(JSON.stringify([location, filename])).length <= longestPaths))

export const fileTransferDecisionWire = z.object({ requestId: z.string().check(z.maxLength(64)), approved: z.boolean() })

/** The events of a file transfer request. The first comes again with each approval that is not enough yet. */
export const fileTransferEvents = {
  request: 'file_transfer_request',
  approve: 'file_transfer_request_approve',
  deny: 'file_transfer_request_deny',
} as const

/** Payload of an event frame about a file transfer request. */
export const fileTransferEventWire = z.object({
  event: z.enum(['file_transfer_request', 'file_transfer_request_approve', 'file_transfer_request_deny']),
  requestID: z.string(),
  requester: z._default(z.string(), ''),
  approvers: listOf(z.string()),
  location: z._default(z.string(), ''),
  download: z._default(z.boolean(), false),
  filename: z._default(z.string(), ''),
})
export type FileTransferEvent = z.output<typeof fileTransferEventWire>

/**
 * Ours: an event that announces bytes which are no output of the shell. With `text` they are a notice, without they
 * restore the state of the terminal in which the output goes on. Other consoles skip it.
 */
export const proxyTextEvent = 'sallyport.text'
export const proxyTextWire = z.object({ event: z.literal(proxyTextEvent), bytes: z.number(), text: z.optional(z.string()) })

/** Ours: an event that tells who is in the session now, and whether it goes on. `parties` is left out when they are too many. */
export const peopleEvent = 'sallyport.people'
export const peopleWire = z.object({
  event: z.literal(peopleEvent),
  parties: z.optional(z.array(partyWire)),
  state: z._default(sessionStateWire, 'running'),
  waitingFor: z._default(z.string(), ''),
})

/** Columns and rows of a size such as "80:25"; undefined when it is not one. */
export function parseSize(size: string): { columns: number; rows: number } | undefined {
  const match = /^(\d{1,5}):(\d{1,5})$/.exec(size)
  const columns = Number(match?.[1])
  const rows = Number(match?.[2])
  const fits = (value: number): boolean => value >= 1 && value <= terminalMaxDimension
  return fits(columns) && fits(rows) ? { columns, rows } : undefined
}

export const resizePayload = (columns: number, rows: number): string =>
  JSON.stringify({ event: 'resize', width: columns, height: rows, size: `${columns}:${rows}` })

export const sessionFramePayload = z.object({ session: z.looseObject({ id: z.string(), cluster_name: z.string() }) })
