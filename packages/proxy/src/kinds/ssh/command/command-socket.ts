/** A browser's end of a command on many servers: output of each becomes frames that name it. */
import type { AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import type { SessionTrackerWire } from '@sallyport/wire/entities/session-tracker.ts'
import { commandPieceLength } from '@sallyport/wire/sockets/command.ts'
import type { OutputKind } from '@sallyport/wire/sockets/command.ts'
import { completeLength, decodeFrame, encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import type { FrameType } from '@sallyport/wire/sockets/terminal.ts'
import type { RawData, WebSocket } from 'ws'
import type { AskedBrowser } from '../../../core/identity/session-proof.ts'

const normalClosure = 1000

export class CommandSocket implements AskedBrowser {
  readonly #socket: WebSocket
  #onAnswer: ((answer: string | undefined) => void) | undefined

  /** `onGone`: the browser is gone, or says that it is done. */
  constructor(socket: WebSocket, onGone: () => void) {
    this.#socket = socket
    socket.on('message', (data, isBinary) => this.#take(data, isBinary))
    socket.on('error', () => undefined) // a close follows
    socket.once('close', () => {
      this.#onAnswer?.(undefined)
      onGone()
    })
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  ask(challenge: AuthenticateChallenge): Promise<string | undefined> {
    if (!this.#isOpen) return Promise.resolve(undefined)
    void this.#send(frameTypes.challenge, challenge)
    return new Promise((resolve) => {
      this.#onAnswer = resolve
    })
  }

  session(session: SessionTrackerWire): void {
    void this.#send(frameTypes.session, { session })
  }

  /** Resolves when more may come. */
  async output(nodeId: string, type: OutputKind, bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length;) {
      const rest = bytes.subarray(from)
      const end = rest.length <= commandPieceLength ? rest.length : completeLength(rest, commandPieceLength)
      const payload = Buffer.from(rest.buffer, rest.byteOffset, end).toString('base64')
      await this.#send(frameTypes.raw, { node_id: nodeId, type, payload })
      from += end
    }
  }

  done(nodeId: string, exitCode: number | undefined): void {
    void this.#send(frameTypes.close, { node_id: nodeId, ...(exitCode !== undefined && { exit_code: exitCode }) })
  }

  close(): void {
    this.#socket.close(normalClosure)
  }

  /** Resolves when it is on its way: who reads slowly slows the command. */
  #send(type: FrameType, value: object): Promise<void> {
    if (!this.#isOpen) return Promise.resolve()
    return new Promise((resolve) => this.#socket.send(encodeFrame(type, JSON.stringify(value)), () => resolve()))
  }

  /** Nothing but the answer to a challenge counts; some consoles give it as if it were typed. */
  #take(data: RawData, isBinary: boolean): void {
    if (!isBinary || !this.#onAnswer || !Buffer.isBuffer(data)) return
    let frame: ReturnType<typeof decodeFrame>
    try {
      frame = decodeFrame(data)
    } catch {
      return // no frame, so no answer
    }
    if (frame.type !== frameTypes.challenge && frame.type !== frameTypes.raw) return
    const answered = this.#onAnswer
    this.#onAnswer = undefined
    answered(Buffer.from(frame.payload).toString())
  }
}
