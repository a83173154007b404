/** A command in a pod, as a plain stream: input goes in, output comes out, standard error apart where there is no terminal. */
import { Duplex, Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { ExitInfo, Shell } from '../../core/sessions/shell.ts'
import { canClose, channels, closeChannel, messageOn, onChannels } from './channels.ts'
import { ApiUnreachable } from './status.ts'

/** Input that the cluster has not taken yet: above, the client waits. */
const fullAt = 256 * 1024

const statusForm = z.looseObject({
  status: z.string().default(''),
  reason: z.string().default(''),
  message: z.string().default(''),
  details: z
    .looseObject({ causes: z.array(z.looseObject({ reason: z.string().default(''), message: z.string().default('') })).nullish() })
    .nullish(),
})

/** Undefined: the command did not come to its end. */
export function readExit(text: string): { code: number } | { problem: string } {
  const { data } = statusForm.safeParse(safeJson(text))
  if (!data) return { problem: 'the cluster did not say how the command ended' }
  if (data.status === 'Success') return { code: 0 }
  const code = Number(data.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message)
  return data.reason === 'NonZeroExitCode' && Number.isInteger(code) ? { code } : { problem: data.message || data.reason }
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // told as an end that nobody knows
  }
}

class Errors extends Readable {
  readonly #resume: () => void
  constructor(resume: () => void) {
    super({ highWaterMark: fullAt })
    this.#resume = resume
  }
  override _read(): void {
    this.#resume()
  }
}

export class PodShell extends Duplex implements Shell {
  readonly stderr: Readable
  readonly exit: Promise<ExitInfo>
  readonly #socket: WebSocket
  readonly #pings: (() => void)[] = []
  #exit: ExitInfo = { code: undefined, signal: undefined }
  #problem: string | undefined

  /** `hasErrors`: standard error is read apart; in a terminal there is none. */
  constructor(socket: WebSocket, hasErrors: boolean) {
    super({ highWaterMark: 128 * 1024 })
    this.#socket = socket
    const errors = new Errors(() => this.#flow())
    this.stderr = errors
    if (!hasErrors) errors.resume()
    const { promise, resolve } = Promise.withResolvers<ExitInfo>()
    this.exit = promise
    onChannels(socket, (channel, bytes) => this.#onMessage(channel, bytes))
    socket.on('pong', () => this.#pings.shift()?.())
    socket.on('error', (cause) => (this.#problem ??= cause.message))
    socket.on('close', () => {
      resolve(this.#exit)
      for (const pong of this.#pings.splice(0)) pong()
      if (this.#exit.code === undefined && !this.destroyed)
        this.destroy(new ApiUnreachable(this.#problem ?? 'the cluster closed the connection'))
      else this.push(null)
      errors.push(null)
    })
  }

  ping(): Promise<number | undefined> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve(undefined)
    const from = performance.now()
    return new Promise((resolve) => {
      this.#pings.push(() => resolve(this.#socket.readyState === this.#socket.OPEN ? performance.now() - from : undefined))
      this.#socket.ping()
    })
  }

  setWindow(columns: number, rows: number): void {
    this.#send(messageOn(channels.resize, JSON.stringify({ Width: columns, Height: rows })))
  }

  override _read(): void {
    this.#flow()
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (bytes.length === 0) return done()
    const message = messageOn(channels.input, bytes)
    if (this.#socket.bufferedAmount > fullAt) this.#send(message, () => done())
    else {
      this.#send(message)
      done()
    }
  }

  /** Older clusters cannot be told that no more input comes; their commands go on waiting for it, as with kubectl. */
  override _final(done: () => void): void {
    if (canClose(this.#socket.protocol)) this.#send(Buffer.of(closeChannel, channels.input))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.terminate()
    done(error)
  }

  #send(message: Buffer, onSent?: () => void): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(message, onSent)
    else onSent?.()
  }

  #onMessage(channel: number, bytes: Buffer): void {
    if (channel === channels.output && bytes.length > 0 && !this.push(bytes)) this.#socket.pause()
    if (channel === channels.errors && bytes.length > 0 && !this.stderr.push(bytes)) this.#socket.pause()
    if (channel === channels.status) {
      const read = readExit(bytes.toString('utf8'))
      if ('code' in read) this.#exit = { code: read.code, signal: undefined }
      else this.#problem = read.problem
    }
  }

  #flow(): void {
    if (this.#socket.isPaused) this.#socket.resume()
  }
}
