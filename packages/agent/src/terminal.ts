import { Socket } from 'node:net'
import { constants } from 'node:os'
import { spawn } from '@lydell/node-pty'
import type { Launch } from './launch.ts'
import { exitOf } from './process-exit.ts'
import type { ProcessExit } from './process-exit.ts'

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** A process on a terminal of its own, its output as bytes. */
export interface Terminal {
  readonly pid: number
  /** Output; pause() and resume() it to hold the process back. Input is written to it. */
  readonly stream: Socket
  /** Settles after the last output was handed out. */
  readonly exited: Promise<ProcessExit>
  resize(size: TerminalSize): void
  /** Takes the terminal away, read or not; the kernel hangs up what runs on it. */
  close(): void
}

const maxSize = 4095
/** What a terminal still holds when its process is gone: the kernel keeps at most this much for a reader. */
const tailLimit = 256 * 1024
const tailTimeout = 500

const clampSize = (value: number, fallback: number): number => (value >= 1 ? Math.min(Math.floor(value), maxSize) : fallback)
const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/**
 * The terminal module tears its stream down a moment after the process ended, read or not, which loses the
 * end of the output when the reader is slow. Its teardown (destroy without an error) is put off until the
 * kernel says that nothing is left, at most a moment longer and a bounded number of bytes.
 */
function keepTail(stream: Socket): { close(): void } {
  const destroy = stream.destroy.bind(stream)
  let leaving = false
  stream.destroy = (error?: Error) => {
    if (error || leaving) return destroy(error)
    leaving = true
    stream.pause = () => stream
    let left = tailLimit
    const timer = setTimeout(destroy, tailTimeout)
    stream.once('close', () => clearTimeout(timer))
    stream.on('data', (bytes: Buffer) => {
      left -= bytes.length
      if (left < 0) destroy()
    })
    stream.resume()
    return stream
  }
  const close = (): void => {
    leaving = true
    destroy()
  }
  return { close }
}

export function openTerminal(launch: Launch, term: string, size: TerminalSize): Terminal {
  const pty = spawn(launch.file, [...launch.args], {
    name: term,
    cols: clampSize(size.columns, 80),
    rows: clampSize(size.rows, 24),
    cwd: launch.cwd,
    env: { ...launch.env },
    encoding: null,
  })
  // Its own interface has no write with a callback and types output as text, so the stream under it is used.
  const stream: unknown = Reflect.get(pty, '_socket')
  if (!(stream instanceof Socket)) {
    pty.kill('SIGKILL')
    throw new Error('The terminal module (@lydell/node-pty) changed inside. Install the version that package.json names.')
  }
  const { close } = keepTail(stream)
  // The end of a terminal arrives as an error (EIO); the module throws errors that nobody else listens to.
  stream.on('error', () => undefined)
  const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>()
  pty.onExit(({ exitCode, signal }) => resolve(exitOf(exitCode, signal ? signalNames.get(signal) : undefined)))
  return {
    pid: pty.pid,
    stream,
    exited,
    close,
    resize({ columns, rows }) {
      if (stream.destroyed) return
      pty.resize(clampSize(columns, 80), clampSize(rows, 24))
    },
  }
}
