import type { ServerChannel } from 'ssh2'
import type { HeldStreams } from './held-streams.ts'

/** How a process ended: a code, or the signal that killed it, e.g. `SIGKILL`. */
export interface ProcessExit {
  readonly code: number
  readonly signal: string | undefined
}

/** A process that could not be started has no code. */
export const exitOf = (code: number | null, signal: string | null | undefined): ProcessExit => ({
  code: code ?? 255,
  signal: signal ?? undefined,
})

/** Shorter than what a stopping process has in all. */
const killDelay = 2_000
const giveUpDelay = 3_000
const clientSignals = new Set(['ABRT', 'ALRM', 'FPE', 'HUP', 'ILL', 'INT', 'KILL', 'PIPE', 'QUIT', 'SEGV', 'TERM', 'USR1', 'USR2'])

export function reportExit(channel: ServerChannel, { code, signal }: ProcessExit): void {
  if (signal) channel.exit(signal.replace(/^SIG/u, ''), false, '')
  else channel.exit(code)
  channel.end()
}

/** A session's processes: the first one leads a group of its own, and signals go to all of it. */
export class ProcessGroup {
  readonly #pid: number
  readonly #exited: Promise<unknown>
  readonly #streams: HeldStreams | undefined
  #running: boolean

  /** With `streams`, what has let go of them outlives the session. */
  constructor(pid: number, exited: Promise<unknown>, streams?: HeldStreams) {
    this.#pid = pid
    this.#streams = streams
    // Zero would be the agent's own group.
    this.#running = pid > 0
    this.#exited = exited.then(() => {
      this.#running = false
    })
  }

  /** For a client's signal request; names that RFC 4254 does not know are ignored. */
  signalByName(name: string): void {
    if (clientSignals.has(name)) this.#signal(`SIG${name}`)
  }

  /** Hangs up, and kills what does not go. Settles when the leader has ended, or when it cannot be killed. */
  async end(): Promise<void> {
    if (!this.#running) return
    await this.#signalHolders('SIGHUP', 'SIGCONT')
    const kill = setTimeout(() => void this.#signalHolders('SIGKILL'), killDelay)
    const gaveUp = Promise.withResolvers<void>()
    const giveUp = setTimeout(gaveUp.resolve, giveUpDelay)
    await Promise.race([this.#exited, gaveUp.promise])
    clearTimeout(kill)
    clearTimeout(giveUp)
  }

  async #signalHolders(...names: string[]): Promise<void> {
    const pids = (await this.#streams?.holders().catch(() => undefined)) ?? [-this.#pid]
    for (const pid of pids) for (const name of names) this.#signal(name, pid)
  }

  #signal(name: string, pid = -this.#pid): void {
    if (!this.#running) return
    try {
      process.kill(pid, name)
    } catch (error) {
      // Gone between the check and the call, or grown beyond our rights (sudo): then losing its terminal has to do.
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code !== 'ESRCH' && code !== 'EPERM') throw error
    }
  }
}
