import { authenticateChallengeWire, type Assertion } from '@sallyport/wire/entities/mfa.ts'
import { sessionTrackerWire } from '@sallyport/wire/entities/session-tracker.ts'
import {
  decodeFrame,
  encodeFrame,
  fileTransferEvents,
  frameTypes,
  resizePayload,
  type FileTransferEvent,
  type Frame,
} from '@sallyport/wire/sockets/terminal.ts'
import * as z from 'zod/mini'
import { createStore, type Store } from '../../ui/store.ts'
import { InputQueue } from './input-queue.ts'
import { OutputPlace } from './output-place.ts'
import { Reconnection } from './reconnection.ts'
import { readSessionEvent } from './session-events.ts'
import { socketAddress, type SessionTarget, type Size } from './session-address.ts'
import type { SessionState } from './session-state.ts'
import type { OpenTransport, Transport } from './transport.ts'

export interface SessionHost {
  openTransport: OpenTransport
  origin: string
  /** The bearer token in force. */
  token: () => string
  /** Output for the screen; while the promise is pending, the socket is not read. */
  write: (bytes: Uint8Array) => Promise<void> | undefined
  /** Bytes that were written and do not show yet, though they should by now. */
  owed: () => number
  /** Whether a session still runs; undefined when that cannot be told now. */
  isActive: (clusterId: string, sid: string) => Promise<boolean | undefined>
  /** A frame that could not be used. */
  warn: (message: string, detail: unknown) => void
}

const sessionFrame = z.object({ session: sessionTrackerWire })
const latencyFrame = z.object({ ws: z.number(), ssh: z.number() })

const utf8 = new TextEncoder()
const text = new TextDecoder()
const missing = '\u001b[m[some output is missing here: it came while the connection was away]'
/** Output kept until the server presents the session or the viewer types: it says why a start failed. */
const reasonLimit = 4096

/**
 * One terminal session on one socket: frames in, state and output out. Knows neither the page nor the emulator.
 * A session that ended is started again by `connect`, which keeps whatever is on the screen.
 */
export class TerminalSession {
  readonly state: Store<SessionState>
  /** Called with everything that is told of requests to move files. */
  readonly transferEvents = new Set<(event: FileTransferEvent) => void>()
  readonly #host: SessionHost
  #target: SessionTarget
  #transport: Transport | undefined
  #input: InputQueue | undefined
  #size: Size = { columns: 80, rows: 25 }
  #typed = false
  #early = ''
  /** The last line of the server's own, without which nobody knows why it closed the session. */
  #notice = ''
  readonly #place = new OutputPlace()
  /** After how many bytes the server wants to hear what is shown; what came, and what it has heard of. */
  #acknowledge = { every: Infinity, received: 0, told: 0 }
  readonly #reconnection: Reconnection
  /** Token of the seat in the session of this sid. */
  #seat: { sid: string; token: string } | undefined

  constructor(target: SessionTarget, host: SessionHost) {
    this.#target = target
    this.#host = host
    this.state = createStore<SessionState>({ phase: 'connecting' })
    this.#reconnection = new Reconnection({
      isThere: () => host.isActive(target.clusterId, this.#seat?.sid ?? ''),
      connect: () => this.#connect(this.#size),
      giveUp: (reason, isOver) => this.#finish({ phase: 'disconnected', reason, isOver }),
    })
  }

  get target(): SessionTarget {
    return this.#target
  }

  /** Opens the socket. `target` replaces the one before, when a session that is over starts anew. */
  connect(size: Size, target: SessionTarget = this.#target): void {
    this.#reconnection.stop()
    this.#target = target
    this.#connect(size)
  }

  #connect(size: Size): void {
    this.#transport?.close()
    this.#size = size
    this.#typed = false
    this.#early = ''
    this.#notice = ''
    this.#acknowledge = { every: Infinity, received: 0, told: 0 }
    const { isUnderWay } = this.#reconnection
    this.state.set(({ facts }) => ({ phase: 'connecting', ...(isUnderWay && { reconnecting: true }), ...(facts ? { facts } : {}) }))
    const { target, resume } = this.#destination()
    const address = socketAddress(this.#host.origin, target, size, this.#host.token(), resume)
    const transport = this.#host.openTransport(address, {
      onOpen: () => undefined,
      onFrame: (bytes) => (this.#transport === transport ? this.#receive(bytes) : undefined),
      onEnd: (end) => this.#transport === transport && this.#ended(end),
    })
    this.#transport = transport
    this.#input = new InputQueue((frame) => transport.send(frame))
  }

  /** Whoever comes back says which seat was theirs, and what they have seen from there. */
  #destination(): { target: SessionTarget; resume?: { token: string; offset: number } } {
    const target = this.#target
    const seat = this.#seat
    if (!seat || (target.kind === 'join' ? target.sid !== seat.sid : !this.#reconnection.isUnderWay)) return { target }
    const { clusterId } = target
    const mode = target.kind === 'join' && target.mode ? { mode: target.mode } : {}
    const { token } = seat
    return { target: { kind: 'join', clusterId, sid: seat.sid, ...mode }, resume: { token, offset: this.#place.have ?? 0 } }
  }

  input(keys: string): void {
    if (this.state.get().phase !== 'connected') return
    this.#typed = true
    this.#input?.push(keys)
  }

  /** Tells the server the window's size. */
  resize(size: Size): void {
    const unchanged = size.columns === this.#size.columns && size.rows === this.#size.rows
    const { phase, remoteSize } = this.state.get()
    if (unchanged && !remoteSize) return
    this.#size = size
    if (phase !== 'connected') return
    this.#drop('remoteSize')
    void this.#transport?.send(encodeFrame(frameTypes.resize, resizePayload(size.columns, size.rows)))
  }

  /** Decides on the request to move a file, or takes back one's own. */
  /** Asks the moderators for leave to move one file; what they say comes to `transferEvents`. */
  requestTransfer(wish: { download: boolean; location: string; filename: string }): void {
    const payload = JSON.stringify({ event: fileTransferEvents.request, ...wish })
    void this.#transport?.send(encodeFrame(frameTypes.fileTransferRequest, payload))
  }

  decideTransfer(requestId: string, approved: boolean): void {
    void this.#transport?.send(
      encodeFrame(frameTypes.fileTransferDecision, JSON.stringify({ event: 'file_transfer_decision', requestId, approved })),
    )
  }

  answerChallenge(assertion: Assertion): void {
    this.#drop('challenge')
    void this.#transport?.send(encodeFrame(frameTypes.challenge, JSON.stringify(assertion)))
  }

  /** Ends a session that cannot be started at all, or is not there any more. */
  refuse(reason: string, phase: 'denied' | 'disconnected' = 'denied'): void {
    this.#finish({ phase, reason })
  }

  /** Leaves the session; the owner's shell ends with its last party. */
  close(): void {
    this.#reconnection.stop()
    const transport = this.#transport
    this.#transport = undefined
    if (this.state.get().phase === 'connected') void transport?.send(encodeFrame(frameTypes.close))
    transport?.close()
  }

  #receive(bytes: Uint8Array): Promise<void> | undefined {
    let frame: Frame
    try {
      frame = decodeFrame(bytes)
    } catch (cause) {
      this.#host.warn('A frame could not be read and was skipped.', cause)
      return undefined
    }
    switch (frame.type) {
      case frameTypes.raw:
        if (!this.#typed && this.#early.length < reasonLimit) this.#early += text.decode(frame.payload)
        this.#acknowledge.received += frame.payload.length
        return this.#write(this.#place.take(frame.payload)) ?? this.shown()
      case frameTypes.error:
        if (this.#early.length < reasonLimit) this.#early += text.decode(frame.payload)
        return this.#host.write(utf8.encode(`${text.decode(frame.payload)}\r\n`))
      case frameTypes.session:
        this.#parse(frame, sessionFrame, ({ session }) => {
          const facts = {
            sid: session.id,
            clusterId: session.cluster_name || this.#target.clusterId,
            login: session.login,
            hostname: session.server_hostname || session.server_id,
            serverId: session.server_id,
            owner: session.owner,
            moderated: session.moderated,
            created: session.created,
            ...(session.recorded === undefined ? {} : { recorded: session.recorded }),
          }
          this.#seated(session)
          this.#acknowledge.every = session.acknowledge ?? Infinity
          const { state = 'running', waitingFor = '' } = session
          const people = session.state === undefined ? {} : { people: { ...this.state.get().people, state, waitingFor } }
          this.state.set(({ challenge: _answered, reconnecting: _over, ...now }) => ({ ...now, ...people, phase: 'connected', facts }))
        })
        return undefined
      case frameTypes.audit:
        this.#parse(frame, z.looseObject({ event: z.string() }), (event) => this.#takeEvent(event))
        return undefined
      case frameTypes.challenge:
        this.#parse(frame, authenticateChallengeWire, (challenge) => this.state.set((now) => ({ ...now, challenge })))
        return undefined
      case frameTypes.latency:
        this.#parse(frame, latencyFrame, ({ ws, ssh }) => this.state.set((now) => ({ ...now, latency: { viewer: ws, server: ssh } })))
        return undefined
      case frameTypes.close:
        this.#finish({ phase: 'ended' })
        return undefined
      default:
        this.#host.warn(`A frame of the unknown type "${frame.type}" was skipped.`, undefined)
        return undefined
    }
  }

  /** Tells the server how much of its output is on the screen, where it wants to know. */
  shown(): undefined {
    const { every, received, told } = this.#acknowledge
    if (received - told < every) return
    const shown = received - Math.min(received, this.#host.owed())
    if (shown - told < every) return
    this.#acknowledge.told = shown
    void this.#transport?.send(encodeFrame(frameTypes.shown, String(shown)))
  }

  #write(bytes: Uint8Array): Promise<void> | undefined {
    return bytes.length === 0 ? undefined : this.#host.write(bytes)
  }

  /** The session presents itself: it is another one, or the same and its output goes on. */
  #seated({ id, resume }: z.output<typeof sessionTrackerWire>): void {
    if (this.#seat?.sid !== id) this.#place.reset()
    this.#seat = resume && { sid: id, token: resume.token }
    this.#reconnection.begin(resume?.seconds ?? 0)
    if (this.#place.begin(resume?.offset)) void this.#write(utf8.encode(`\r\n${missing}\r\n`))
  }

  #takeEvent(value: { event: string }): void {
    const event = readSessionEvent(value)
    if (event.kind === 'text') {
      this.#place.announce(event.bytes, event.text !== undefined)
      this.#notice = event.text ?? this.#notice
    } else if (event.kind === 'change') {
      this.state.set((now) => ({ ...now, ...event.change }))
      if (event.change.transfer) this.#tellTransfer(event.change.transfer)
    } else if (event.kind === 'transferOver') {
      this.#drop('transfer')
      this.#tellTransfer(event.event)
    }
  }

  #tellTransfer(event: FileTransferEvent): void {
    for (const listener of [...this.transferEvents]) listener(event)
  }

  #parse<T>(frame: Frame, schema: { parse(value: unknown): T }, take: (value: T) => void): void {
    try {
      take(schema.parse(JSON.parse(text.decode(frame.payload))))
    } catch (cause) {
      this.#host.warn(`A frame of type "${frame.type}" could not be understood and was skipped.`, cause)
    }
  }

  #ended({ opened, clean }: { opened: boolean; clean: boolean }): void {
    const said = plainText(this.#early)
    const { phase } = this.state.get()
    if (!clean && this.#seat && this.#reconnection.retry()) {
      this.#transport = undefined
      this.state.set(({ facts, people }) => ({
        phase: 'connecting',
        reconnecting: true,
        ...(facts && { facts }),
        ...(people && { people }),
      }))
      return
    }
    if (!opened)
      this.#finish({
        phase: 'disconnected',
        reason: 'The proxy did not open the session. It may have ended, the server may be gone, or your roles may not allow it.',
      })
    else if (clean && phase === 'connected' && this.#notice !== '')
      this.#finish({ phase: 'disconnected', reason: this.#notice, isOver: true })
    else if (clean && !this.#typed && said !== '') this.#finish({ phase: 'denied', reason: said })
    else if (clean) this.#finish({ phase: 'disconnected', reason: 'The proxy closed the session.', isOver: true })
    else this.#finish({ phase: 'disconnected', reason: 'The connection was lost.' })
  }

  #finish(end: Pick<SessionState, 'phase' | 'reason' | 'isOver'>): void {
    this.#reconnection.stop()
    const transport = this.#transport
    this.#transport = undefined
    transport?.close()
    const { facts } = this.state.get()
    this.state.set({ ...end, ...(facts ? { facts } : {}) })
  }

  #drop(field: 'challenge' | 'remoteSize' | 'transfer'): void {
    this.state.set((now) => {
      const next = { ...now }
      delete next[field]
      return next
    })
  }
}

/** The last line of some output, without escape sequences. */
function plainText(output: string): string {
  const plain = output.replaceAll(/\u001b(?:\[[\d;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g, '')
  const lines = plain.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}/gu, '').trim())
  return lines.findLast((line) => line !== '') ?? ''
}
