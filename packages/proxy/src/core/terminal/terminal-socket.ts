/** One browser's end of a terminal: output becomes frames, frames become keystrokes. */
import { Socket } from 'node:net'
import { terminalPayloadLimit } from '@sallyport/wire/limits.ts'
import type { AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import type { SessionTrackerWire } from '@sallyport/wire/entities/session-tracker.ts'
import {
  decodeFrame,
  encodeFrame,
  EnvelopeError,
  fileTransferDecisionWire,
  fileTransferRequestWire,
  frameTypes,
  parseSize,
  peopleEvent,
  proxyTextEvent,
  resizeWire,
} from '@sallyport/wire/sockets/terminal.ts'
import type { FrameType } from '@sallyport/wire/sockets/terminal.ts'
import type { RawData, WebSocket } from 'ws'
import type { LeaveReason, Membership, PartyEvent, PartySink } from '../sessions/people/party.ts'
import type { Seat } from '../sessions/people/seats.ts'
import { OutputFrames } from './output-frames.ts'
import { OutputWindow } from './output-window.ts'

/** Bytes handed to the socket and not sent yet: above, the shell waits; below the second, it goes on. */
const fullAt = 1024 * 1024
const emptyAt = 256 * 1024
/** What goes out at a time while output floods: a terminal hands it out in pieces of a few kB, each with the cost of a message. */
const batchLength = 64 * 1024
/** A flood: output that goes on this soon, in milliseconds, after a turn that brought this much. */
const floodWithin = 2
const floodLength = 1024
/** Frames that come before the shell is there are kept up to this many bytes. */
const earlyLimit = 1024 * 1024
const normalClosure = 1000
/** What the close of a connection that broke is reported as. */
const abnormalClosure = 1006
/** Characters of a failure; they fit a frame however many bytes each has. */
const failureLimit = 4096
/** Beginning of an answer to a challenge. */
const brace = 0x7b
const noticePrefix = 'Sallyport > '

export interface TerminalSocketOptions {
  /** The browser's person is in a session. */
  onSeat: (seat: Seat) => void
  /** Who is in it now. */
  people: () => object
  /** The browser is gone, whether or not a session was joined. */
  onGone: () => void
  /** A frame that ends the session: text, an unknown type, a malformed one. */
  onViolation: (text: string) => void
}

export class TerminalSocket implements PartySink {
  readonly #socket: WebSocket
  readonly #options: TerminalSocketOptions
  readonly #frames = new OutputFrames()
  readonly #window = new OutputWindow()
  #membership: Membership | undefined
  #early: RawData[] = []
  #earlyLength = 0
  #inFlight = 0
  #isFull = false
  #isScheduled = false
  #flushed = { at: 0, length: 0 }
  #isClosed = false
  #onAnswer: ((answer: string | undefined) => void) | undefined
  #onOpening: ((opening: string | undefined) => void) | undefined

  constructor(socket: WebSocket, options: TerminalSocketOptions) {
    this.#socket = socket
    this.#options = options
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
    socket.on('error', () => undefined) // a close follows
    socket.on('close', (code) => this.#onClose(code === abnormalClosure ? 'dropped' : 'left'))
  }

  /** From here on keystrokes go to the session. */
  attach(membership: Membership): void {
    this.#membership = membership
    if (this.#isClosed) return membership.leave()
    if (this.#isFull) membership.stall(true)
    const early = this.#early
    this.#early = []
    for (const data of early) this.#onFrame(data)
    this.#socket.resume()
  }

  /** Asks the browser's person; resolves with the next answer, or undefined when the browser is gone. */
  ask(challenge: AuthenticateChallenge): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    this.#sendJson(frameTypes.challenge, challenge)
    return new Promise((resolve) => {
      this.#onAnswer = resolve
    })
  }

  /** What a terminal says first that has to name what it is for; undefined when the browser is gone. */
  opening(): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    const early = this.#early.shift()
    if (early) return Promise.resolve(readOpening(early))
    return new Promise((resolve) => {
      this.#onOpening = resolve
    })
  }

  welcome(seat: Seat): void {
    this.#options.onSeat(seat)
  }

  /** More people than a frame has room for are left out. */
  session(session: SessionTrackerWire): void {
    const fits = Buffer.byteLength(JSON.stringify({ session })) <= terminalPayloadLimit
    this.#sendJson(frameTypes.session, { session: fits ? session : { ...session, parties: [] } })
  }

  peopleChanged(): void {
    const people = { event: peopleEvent, ...this.#options.people() }
    const fits = Buffer.byteLength(JSON.stringify(people)) <= terminalPayloadLimit
    this.event(fits ? people : { ...people, parties: undefined })
  }

  output(bytes: Buffer): void {
    if (this.#isClosed) return
    this.#frames.add(bytes)
    this.#window.sent(bytes.length)
    if (this.#frames.length >= batchLength) return this.#flush()
    if (this.#isScheduled) return
    this.#isScheduled = true
    // All packets of one read arrive in one turn: they share frames. Only in a flood is more waited for, a millisecond long.
    const { at, length } = this.#flushed
    if (length >= floodLength && performance.now() - at < floodWithin) setTimeout(() => this.#flush(), 1)
    else process.nextTick(() => this.#flush())
  }

  event(event: PartyEvent): void {
    this.#sendJson(frameTypes.audit, event)
  }

  latency(latency: { ws: number; ssh: number }): void {
    this.#window.roundTrip(latency.ws)
    this.#sendJson(frameTypes.latency, latency)
  }

  notice(text: string): void {
    this.#proxyText(Buffer.from(`\r\n${noticePrefix}${text}\r\n`), text)
  }

  restore(bytes: Buffer): void {
    this.#proxyText(bytes)
  }

  /** Text of the proxy's own, as the terminal shows it. */
  text(text: string): void {
    this.output(Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')))
  }

  /** Why there is no session, where consoles want to be told in a frame of its own. */
  failure(text: string): void {
    if (this.#isClosed) return
    this.#flush()
    this.#send(encodeFrame(frameTypes.error, text.slice(0, failureLimit)))
  }

  /** Consoles of ours are told that the next bytes are no output of the shell, so that they can count it. */
  #proxyText(bytes: Buffer, text?: string): void {
    this.event({ event: proxyTextEvent, bytes: bytes.length, ...(text !== undefined && { text }) })
    this.output(bytes)
  }

  resumeInput(): void {
    this.#socket.resume()
  }

  close(how: 'exit' | 'cut'): void {
    if (this.#isClosed) return
    this.#flush(true)
    this.#isClosed = true
    if (how === 'exit') this.#send(encodeFrame(frameTypes.close))
    this.#socket.close(normalClosure)
    // The answer to our goodbye has to be read.
    this.#socket.resume()
  }

  #flush(final = false): void {
    this.#isScheduled = false
    if (this.#isClosed) return
    this.#flushed = { at: performance.now(), length: this.#frames.length }
    const batches = this.#frames.take(final)
    if (batches.length === 0) return
    // One system call for all frames of this turn.
    const raw = networkSocketOf(this.#socket)
    raw?.cork()
    for (const { frames, release } of batches) {
      let length = 0
      for (const [index, frame] of frames.entries()) {
        length += frame.length
        // Frames are sent in order, so the last one answers for all.
        if (index === frames.length - 1) this.#send(frame, length, release)
        else this.#socket.send(frame)
      }
    }
    raw?.uncork()
  }

  /** `length`: bytes on the way of which this frame is the last part. */
  #send(frame: Uint8Array, length: number = frame.length, onSent?: () => void): void {
    this.#inFlight += length
    this.#socket.send(frame, () => {
      onSent?.()
      this.#inFlight -= length
      this.#watchFlow()
    })
    this.#watchFlow()
  }

  #sendJson(type: FrameType, value: unknown): void {
    if (this.#isClosed) return
    this.#flush()
    this.#send(encodeFrame(type, JSON.stringify(value)))
  }

  /** The shell waits for the network, and for the screen behind it. */
  #watchFlow(): void {
    const isFull = this.#isFull ? this.#inFlight >= emptyAt || !this.#window.isRoomy : this.#inFlight > fullAt || this.#window.isFull
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    this.#membership?.stall(isFull)
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#isClosed) return
    if (!isBinary) return this.#violate('The terminal sent text where only frames belong.')
    if (this.#onOpening) {
      const opened = this.#onOpening
      this.#onOpening = undefined
      return opened(readOpening(data))
    }
    if (this.#onAnswer && this.#takeAnswer(data)) return
    if (this.#membership) return this.#onFrame(data)
    this.#early.push(data)
    this.#earlyLength += bytesOf(data).length
    if (this.#earlyLength > earlyLimit) this.#socket.pause()
  }

  /** Some consoles answer a challenge as if it were typed. Anything else waits for the session. */
  #takeAnswer(data: RawData): boolean {
    let frame: ReturnType<typeof decodeFrame>
    try {
      frame = decodeFrame(bytesOf(data))
    } catch {
      return false // it is judged when the session takes it
    }
    if (frame.type !== frameTypes.challenge && frame.type !== frameTypes.raw) return false
    // Whoever is in a session already goes on typing meanwhile.
    if (this.#membership && frame.type === frameTypes.raw && frame.payload[0] !== brace) return false
    const answered = this.#onAnswer
    this.#onAnswer = undefined
    answered?.(asBuffer(frame.payload).toString())
    return true
  }

  #onFrame(data: RawData): void {
    try {
      const { type, payload } = decodeFrame(bytesOf(data))
      this.#dispatch(type, payload)
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error
      this.#violate(`The terminal sent a malformed frame: ${error.message}.`)
    }
  }

  #dispatch(type: string, payload: Uint8Array): void {
    switch (type) {
      case frameTypes.raw:
        if (this.#membership?.input(asBuffer(payload)) === false) this.#socket.pause()
        return
      case frameTypes.resize:
        return this.#resize(payload)
      case frameTypes.close:
        this.close('cut')
        return this.#leave()
      case frameTypes.shown:
        this.#window.shown(Number(asBuffer(payload).toString()))
        return this.#watchFlow()
      case frameTypes.challenge:
        return // nothing was asked
      case frameTypes.fileTransferRequest: {
        const { download, location, filename } = readJson(payload, fileTransferRequestWire, 'a file transfer request')
        return this.#membership?.requestTransfer({ direction: download ? 'download' : 'upload', location, filename })
      }
      case frameTypes.fileTransferDecision: {
        const { requestId, approved } = readJson(payload, fileTransferDecisionWire, 'a decision on a file transfer')
        return this.#membership?.decideTransfer(requestId, approved)
      }
      default:
        throw new EnvelopeError(`the type "${type}" is unknown`)
    }
  }

  #resize(payload: Uint8Array): void {
    const size = parseSize(readJson(payload, resizeWire, 'a resize').size)
    if (!size) throw new EnvelopeError('a resize has no size between 1:1 and 4095:4095')
    this.#membership?.resize(size.columns, size.rows)
  }

  #violate(text: string): void {
    this.notice(text)
    this.close('cut')
    this.#options.onViolation(text)
  }

  #onClose(how: LeaveReason): void {
    // A connection that breaks after our goodbye was not broken off.
    const wasClosed = this.#isClosed
    this.#isClosed = true
    this.#onAnswer?.(undefined)
    this.#onOpening?.(undefined)
    this.#leave(wasClosed ? 'left' : how)
  }

  #leave(how: LeaveReason = 'left'): void {
    const membership = this.#membership
    this.#options.onGone()
    membership?.leave(how)
  }
}

/** ws has no way to group messages; the socket under it has. Without it, each frame costs a call of its own. */
function networkSocketOf(socket: WebSocket): Socket | undefined {
  const raw: unknown = Reflect.get(socket, '_socket')
  return raw instanceof Socket ? raw : undefined
}

/** Undefined for a frame of another type: whoever waits for it refuses what is missing. */
function readOpening(data: RawData): string | undefined {
  try {
    const { type, payload } = decodeFrame(bytesOf(data))
    return type === frameTypes.opening ? asBuffer(payload).toString() : undefined
  } catch {
    return undefined
  }
}

/** Throws EnvelopeError. */
function readJson<T>(payload: Uint8Array, schema: { safeParse(value: unknown): { success: boolean; data?: T } }, what: string): T {
  let json: unknown
  try {
    json = JSON.parse(asBuffer(payload).toString())
  } catch (cause) {
    throw new EnvelopeError(`${what} is not JSON`, { cause })
  }
  const { data } = schema.safeParse(json)
  if (data === undefined) throw new EnvelopeError(`${what} is not complete`)
  return data
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

/** The sockets deliver one Buffer per message; the other forms are for sockets that were told otherwise. */
function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
