/** A kubectl that runs a command in a pod: its end of the streams. */
import { Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { CommandClient } from '../../core/sessions/command-session.ts'
import type { Membership, PartySink } from '../../core/sessions/people/party.ts'
import type { ExitInfo } from '../../core/sessions/shell.ts'
import { terminalMaxDimension } from '@sallyport/wire/limits.ts'
import { channels, closeChannel, messageOn, onChannels, sizeForm } from './channels.ts'
import { exitStatus, failure } from './status.ts'
import type { Status } from './status.ts'

/** Bytes handed to the socket and not sent yet: above, the shell waits; below the second, it goes on. */
const fullAt = 1024 * 1024
const emptyAt = 256 * 1024
const normalClosure = 1000
const noticePrefix = 'Sallyport > '

/** The last word of a command, and the end of the connection. */
export function endWith(socket: WebSocket, status: Status): void {
  if (socket.readyState !== socket.OPEN) return
  socket.send(messageOn(channels.status, JSON.stringify(status)))
  socket.close(normalClosure)
  // The answer to our goodbye has to be read.
  socket.resume()
}

/** What of its window a client tells; undefined for what is no size. */
function readSize(bytes: Buffer): { columns: number; rows: number } | undefined {
  try {
    const { Width: columns, Height: rows } = sizeForm.parse(JSON.parse(bytes.toString('utf8')))
    const isSize = (value: number): boolean => value >= 1 && value <= terminalMaxDimension
    return isSize(columns) && isSize(rows) ? { columns, rows } : undefined
  } catch {
    return undefined // a window of no size, as clients without one send it
  }
}

export class KubectlScreen implements PartySink {
  readonly #socket: WebSocket
  readonly #exit: Promise<ExitInfo>
  readonly #isOutputWanted: boolean
  #membership: Membership | undefined
  #early: [channel: number, bytes: Buffer][] = []
  #inFlight = 0
  #isFull = false
  #isClosed = false

  /** `exit`: how the command ends; asked for only after it has. */
  constructor(socket: WebSocket, exit: Promise<ExitInfo>, isOutputWanted = true) {
    this.#socket = socket
    this.#exit = exit
    this.#isOutputWanted = isOutputWanted
    onChannels(socket, (channel, bytes) => (this.#membership ? this.#take(channel, bytes) : this.#early.push([channel, bytes])))
    // Before somebody is there to type, nothing more than the window's size comes.
    socket.pause()
  }

  /** From here on keystrokes go to the session. */
  attach(membership: Membership): void {
    this.#membership = membership
    if (this.#isFull) membership.stall(true)
    for (const [channel, bytes] of this.#early.splice(0)) this.#take(channel, bytes)
    this.#socket.resume()
  }

  /** Whoever goes away does not come back to their seat. */
  welcome(): void {}

  restore(bytes: Buffer): void {
    this.output(bytes)
  }

  output(bytes: Buffer): void {
    if (this.#isClosed || !this.#isOutputWanted) return
    this.#inFlight += bytes.length
    this.#socket.send(messageOn(channels.output, bytes), () => {
      this.#inFlight -= bytes.length
      if (this.#isFull && this.#inFlight < emptyAt) this.#setFull(false)
    })
    if (!this.#isFull && this.#inFlight > fullAt) this.#setFull(true)
  }

  /** Resizes by others: a native terminal keeps the size of its window. */
  event(): void {}

  notice(text: string): void {
    this.output(Buffer.from(`\r\n${noticePrefix}${text}\r\n`))
  }

  resumeInput(): void {
    this.#socket.resume()
  }

  close(how: 'exit' | 'cut'): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (how === 'cut') return endWith(this.#socket, failure(500, 'the session was closed'))
    void this.#exit.then(({ code }) =>
      endWith(this.#socket, code === undefined ? failure(500, 'the connection was lost') : exitStatus(code)),
    )
  }

  #take(channel: number, bytes: Buffer): void {
    if (channel === channels.input && this.#membership?.input(bytes) === false) this.#socket.pause()
    const size = channel === channels.resize ? readSize(bytes) : undefined
    if (size) this.#membership?.resize(size.columns, size.rows)
  }

  #setFull(isFull: boolean): void {
    this.#isFull = isFull
    this.#membership?.stall(isFull)
  }
}

/** Of a command without a terminal. */
export class KubectlStreams implements CommandClient {
  readonly input: Readable
  readonly #socket: WebSocket
  /** Channels that the client wants to hear. */
  readonly #wanted: ReadonlySet<number>

  constructor(socket: WebSocket, { stdin, stdout, stderr }: { stdin: boolean; stdout: boolean; stderr: boolean }) {
    this.#socket = socket
    this.#wanted = new Set([...(stdout ? [channels.output] : []), ...(stderr ? [channels.errors] : [])])
    const input = new Readable({ highWaterMark: emptyAt, read: () => socket.resume() })
    this.input = input
    socket.pause()
    if (!stdin) input.push(null)
    let isOpen = stdin
    const end = (): void => {
      if (isOpen) input.push(null)
      isOpen = false
    }
    onChannels(socket, (channel, bytes) => {
      if (!isOpen) return
      if (channel === closeChannel && bytes[0] === channels.input) return end()
      if (channel === channels.input && bytes.length > 0 && !input.push(bytes)) socket.pause()
    })
    socket.once('close', end)
    if (!stdin) socket.resume()
  }

  output(bytes: Buffer): Promise<void> {
    return this.#write(channels.output, bytes)
  }

  errors(bytes: Buffer): Promise<void> {
    return this.#write(channels.errors, bytes)
  }

  close({ code }: ExitInfo, text?: string): void {
    if (code !== undefined) return endWith(this.#socket, exitStatus(code))
    endWith(this.#socket, failure(500, text || 'the command was cut off'))
  }

  #write(channel: number, bytes: Buffer): Promise<void> {
    if (!this.#wanted.has(channel) || this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve()
    return new Promise((resolve) => this.#socket.send(messageOn(channel, bytes), () => resolve()))
  }
}
