/** Programs around an X server, as tests run them. */
import { spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { requireProgram } from './programs.ts'
import type { Program } from './programs.ts'

export interface Running extends AsyncDisposable {
  child: ChildProcess
}

/** In a group of its own, so that what it starts ends with it. */
export function runGroup(program: Program, args: readonly string[], options: SpawnOptions): Running {
  const child = spawn(requireProgram(program), args, { stdio: 'ignore', ...options, detached: true })
  child.on('error', () => undefined)
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  // A test that is given up leaves nothing behind.
  const kill = (): void => void (isOver() || process.kill(-(child.pid ?? 0), 'SIGKILL'))
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return {
    child,
    async [Symbol.asyncDispose]() {
      if (isOver()) return
      const ended = once(child, 'exit')
      kill()
      await ended
    },
  }
}

/** The display of an X server that was told to write its number to its fourth stream. */
export async function displayOf({ child }: Running): Promise<string> {
  const told = child.stdio[3]
  if (!(told instanceof Readable)) throw new Error('the X server has no stream for its number')
  let number = ''
  for await (const chunk of told) {
    number += String(chunk)
    if (number.includes('\n')) return `:${number.trim()}`
  }
  throw new Error('the X server ended at its start')
}

/** Resolves when the server takes connections. */
export async function answers(port: number, { child }: Running): Promise<void> {
  while (!(await canConnect(port))) {
    if (child.exitCode !== null) throw new Error(`the server on port ${port} ended at its start`)
    await wait(20)
  }
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })
