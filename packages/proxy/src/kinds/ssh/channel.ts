import { Duplex } from 'node:stream'
import type { Readable } from 'node:stream'
import type { ClientChannel } from 'ssh2'
import { SshError } from './ssh-error.ts'

/** How the remote process ended; both undefined when the connection went away before it said. */
export interface ExitInfo {
  readonly code: number | undefined
  /** E.g. `SIGKILL`. */
  readonly signal: string | undefined
}

/**
 * A session channel as a plain stream: ends when the process ended and all was read, errors never get lost,
 * and a reader that stalls stops the other side. `stderr` has to be read too where there is no terminal.
 */
export interface ShellChannel extends Duplex {
  readonly stderr: Readable
  /** Settles when the process has ended and all output was read, or when the channel is gone; does not reject. */
  readonly exit: Promise<ExitInfo>
  setWindow(columns: number, rows: number): void
  /** E.g. `INT`, `TERM`, `KILL`. */
  signal(name: string): void
}

/**
 * ssh2's channel forgets the callback of a write that meets a closed channel and redefines destroy(), so it
 * does not live in pipelines; this one does. It adds one step and no copy.
 */
export class SshChannel extends Duplex implements ShellChannel {
  readonly stderr: Readable
  readonly exit: Promise<ExitInfo>
  readonly #channel: ClientChannel
  #closed = false

  constructor(channel: ClientChannel) {
    super({ highWaterMark: 128 * 1024 })
    this.#channel = channel
    this.stderr = channel.stderr
    const { promise, resolve } = Promise.withResolvers<ExitInfo>()
    this.exit = promise
    let exit: ExitInfo = { code: undefined, signal: undefined }
    channel.on('exit', (code: number | null, signal?: string) => {
      exit = { code: code ?? undefined, signal }
    })
    channel.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) channel.pause()
    })
    channel.on('end', () => this.push(null))
    channel.on('close', () => {
      this.#closed = true
      resolve(exit)
      if (this.readableEnded) this.destroy()
      else this.once('end', () => this.destroy())
    })
    channel.on('error', (error: Error) =>
      this.destroy(new SshError('connection-lost', 'The connection to the server broke.', { cause: error })),
    )
  }

  setWindow(columns: number, rows: number): void {
    if (!this.#closed) this.#channel.setWindow(rows, columns, 0, 0)
  }

  signal(name: string): void {
    if (!this.#closed) this.#channel.signal(name)
  }

  override _read(): void {
    this.#channel.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    if (this.#closed) return callback(new SshError('connection-lost', 'The session on the server has ended.'))
    this.#channel.write(chunk, (error) => callback(error))
  }

  override _final(callback: () => void): void {
    if (!this.#closed) this.#channel.end()
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#closed) {
      this.#channel.close()
      // Whatever still arrives has no reader; it must not hold the connection's window.
      this.#channel.resume()
      this.stderr.resume()
    }
    callback(error)
  }
}
