import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'
import { holdStreams } from './held-streams.ts'
import type { Launch } from './launch.ts'
import { exitOf, ProcessGroup, reportExit } from './process-exit.ts'
import type { ProcessExit } from './process-exit.ts'
import { openTerminal } from './terminal.ts'
import type { TerminalSize } from './terminal.ts'

/** A process that serves a session channel. */
export interface RunningShell {
  resize(size: TerminalSize): void
  signal(name: string): void
  /** Ends it and waits until it is gone. */
  end(): Promise<void>
}

/** Output that waits for the client at most, and when more is taken from the terminal again. */
const highWater = 256 * 1024
const lowWater = 64 * 1024

/**
 * Runs on a terminal. Terminals hand out a few kB at a time; what comes in one turn of the event loop goes
 * out as one write, so that packets are full.
 */
export function runOnTerminal(channel: ServerChannel, launch: Launch, term: string, size: TerminalSize): RunningShell {
  const terminal = openTerminal(launch, term, size)
  const group = new ProcessGroup(terminal.pid, terminal.exited)
  let gathered: Buffer[] = []
  let inFlight = 0
  let exit: ProcessExit | undefined

  const settle = (): void => {
    if (!exit || inFlight > 0) return
    reportExit(channel, exit)
    exit = undefined
  }
  const flush = (): void => {
    if (gathered.length > 0) {
      const bytes = gathered.length === 1 ? gathered[0] : Buffer.concat(gathered)
      gathered = []
      channel.write(bytes, () => sent(bytes?.length ?? 0))
    }
    settle()
  }
  const sent = (length: number): void => {
    inFlight -= length
    if (inFlight < lowWater && terminal.stream.isPaused()) terminal.stream.resume()
    settle()
  }
  terminal.stream.on('data', (bytes: Buffer) => {
    if (gathered.length === 0) setImmediate(flush)
    gathered.push(bytes)
    inFlight += bytes.length
    if (inFlight > highWater) terminal.stream.pause()
  })
  void terminal.exited.then((ended) => {
    exit = ended
    setImmediate(flush)
  })
  channel.pipe(terminal.stream, { end: false })
  const end = (): Promise<void> => {
    terminal.close()
    discardInput(channel)
    return group.end()
  }
  channel.once('close', () => void end())
  return { resize: (next) => terminal.resize(next), signal: (name) => group.signalByName(name), end }
}

/** Input that nobody takes any more must not keep the channel from closing. */
function discardInput(channel: ServerChannel): void {
  channel.unpipe()
  channel.resume()
}

/**
 * ssh2 keeps what a full window held back of the last write per stream, never forgets it, and mixes up the
 * two streams when the window opens. One write at a time over both, with that memory cleared after each,
 * keeps every byte in its place.
 */
function exclusiveWriter(channel: ServerChannel): (target: Writable, bytes: Buffer) => Promise<void> {
  let turn: Promise<void> = Promise.resolve()
  const write = (target: Writable, bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      target.write(bytes, () => {
        for (const name of ['_chunk', '_chunkcb', '_chunkErr', '_chunkcbErr']) Reflect.set(channel, name, undefined)
        resolve()
      })
    })
  return (target, bytes) => {
    turn = turn.then(() => write(target, bytes))
    return turn
  }
}

/** Runs without a terminal: standard error stays apart, and the end of the input is passed on. */
export function runOnPipes(channel: ServerChannel, launch: Launch): RunningShell {
  const child = spawn(launch.file, launch.args, { cwd: launch.cwd, env: launch.env, detached: true, stdio: 'pipe' })
  const write = exclusiveWriter(channel)
  const forward = async (source: Readable, target: Writable): Promise<void> => {
    for await (const bytes of source) await write(target, bytes)
  }
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitOf(code, signal)))
    child.once('error', () => resolve({ code: 126, signal: undefined }))
  })
  const group = new ProcessGroup(child.pid ?? 0, exited, child.pid === undefined ? undefined : holdStreams(child.pid))
  // A process that does not read its input to the end is no error.
  child.stdin.on('error', () => discardInput(channel))
  channel.pipe(child.stdin)
  const end = (): Promise<void> => {
    child.stdout.destroy()
    child.stderr.destroy()
    discardInput(channel)
    return group.end()
  }
  channel.once('close', () => void end())
  const finish = async (): Promise<void> => {
    await Promise.allSettled([forward(child.stdout, channel), forward(child.stderr, channel.stderr)])
    reportExit(channel, await exited)
  }
  void finish()
  return { resize: () => undefined, signal: (name) => group.signalByName(name), end }
}
