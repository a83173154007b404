/** One bpftrace for all sessions of this host that want it: started with the first, kept for a while after the last. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { ProgramEventWire } from '@sallyport/wire/program-watch.ts'
import { findProgram } from '../launch.ts'
import type { AgentLog } from '../log.ts'
import type { ControlGroup, ControlGroups } from './control-groups.ts'
import type { Kernel } from './kernel.ts'
import { TraceLines } from './trace-lines.ts'
import { pieceLength } from './trace-script.ts'

export interface GroupListener {
  event(event: ProgramEventWire): void
  /** Events that were not told, and why; 0 where nobody knows how many. */
  lost(count: number, reason: string): void
}

export interface TraceOptions {
  readonly kernel: Kernel
  readonly groups: ControlGroups
  readonly script: string
  /** What a shell in a watched group does to be seen, and where. */
  readonly proof: { readonly parent: ControlGroup; readonly command: string }
  readonly log: AgentLog
}

/** Milliseconds for compiling and attaching, on a machine that has other things to do. */
const startTimeout = 60_000
/** Between one attempt to be seen and the next. */
const proofInterval = 250
const settleTimeout = 1_500
const idleTime = 10 * 60_000
/** For how long what did not work is not tried for each session anew. */
const refusalTime = 10 * 60_000
const firstDelay = 1_000
const longestDelay = 60_000
/** Processes that it can follow at a time, beyond those that their control group gives away. */
const mapKeys = 16_384

interface Listened {
  readonly listener: GroupListener
  leftOut: number
}

/** Harmless, and said at every start. */
const isNoise = (line: string): boolean => line.includes('RLIMIT_MEMLOCK') || line.trim() === ''

export class KernelTrace implements AsyncDisposable {
  readonly #options: TraceOptions
  readonly #listeners = new Map<string, Listened>()
  readonly #fences = new Map<string, () => void>()
  readonly #made = new Set<string>()
  #pendingFences = 0
  /** Undefined while nothing runs; settles with the reason why it does not. */
  #listening: Promise<string | undefined> | undefined
  #process: ChildProcess | undefined
  #refusal: { readonly reason: string; readonly until: number } | undefined
  #delay = firstDelay
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(options: TraceOptions) {
    this.#options = options
  }

  /** Resolves when the kernel is being listened to, or with the reason why not. */
  listen(): Promise<string | undefined> {
    const refusal = this.#refusal
    if (refusal && performance.now() < refusal.until) return Promise.resolve(refusal.reason)
    this.#listening ??= this.#start()
    if (!refusal) return this.#listening
    // Nobody waits again for what did not work once: it is tried beside, and sessions that begin when it works are told.
    this.#listening.catch(() => undefined)
    return Promise.resolve(refusal.reason)
  }

  subscribe({ id }: ControlGroup, listener: GroupListener): Disposable {
    const group = String(id)
    clearTimeout(this.#timer)
    this.#listeners.set(group, { listener, leftOut: 0 })
    if (!this.#listening) void this.#restart()
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.delete(group)) this.#endWhenIdle()
      },
    }
  }

  /** Resolves when what has happened so far is told, as far as that can be known. */
  async settle(): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, settleTimeout).unref())
    // Processors are read one after the other: what the first fence overtook is there with the second.
    const fences = async (): Promise<void> => {
      await this.#fence()
      await this.#fence()
    }
    await Promise.race([fences(), timeout])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    const running = this.#process
    if (!running) return
    const exited = once(running, 'exit')
    // Asked nicely it may forget to go.
    running.kill('SIGKILL')
    await exited
  }

  async #fence(): Promise<void> {
    if (!this.#process) return
    const { groups } = this.#options
    this.#pendingFences += 1
    const group = await groups.make(groups.programs, `fence-${randomUUID()}`)
    const id = String(group.id)
    if (!this.#made.has(id)) await new Promise<void>((resolve) => this.#fences.set(id, resolve))
    this.#pendingFences -= 1
    if (this.#pendingFences === 0) this.#made.clear()
    await groups.remove(group)
  }

  async #start(): Promise<string | undefined> {
    const { kernel, groups, script, log } = this.#options
    const [file, ...args] = [...kernel.within, kernel.bpftrace, '-e', script]
    const env = {
      PATH: process.env['PATH'],
      LANG: 'C',
      BPFTRACE_STRLEN: String(pieceLength),
      BPFTRACE_MAP_KEYS_MAX: String(mapKeys),
    }
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    this.#process = child
    const complaints: string[] = []
    createInterface(child.stderr).on('line', (line) => {
      if (!isNoise(line) && complaints.length < 5) complaints.push(line.slice(0, 300))
    })
    const attaching = Promise.withResolvers<void>()
    const seen = Promise.withResolvers<undefined>()
    const proofGroup = await groups.make(this.#options.proof.parent, `proof-${randomUUID()}`)
    const proofId = String(proofGroup.id)
    const lines = new TraceLines({
      event: (group, event) => (group === proofId ? seen.resolve(undefined) : this.#listeners.get(group)?.listener.event(event)),
      made: (group) => this.#onMade(group),
      leftOut: (group, total) => this.#onLeftOut(group, total),
      overrun: (count) => this.#tellAll(count, 'the host could not keep up'),
    })
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('Attaching ')) attaching.resolve()
      else lines.take(line)
    })
    const gone = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', () => resolve(complaints.join(' ') || 'it ended'))
    })
    void gone.then((reason) => this.#onGone(child, reason))
    const timeout = new Promise<string>((resolve) => setTimeout(resolve, startTimeout, 'it did not start in time').unref())
    const proving = attaching.promise.then(() => this.#prove(proofGroup, seen.promise))
    const reason = await Promise.race([proving, gone, timeout])
    await groups.remove(proofGroup)
    if (reason === undefined) {
      this.#delay = firstDelay
      this.#refusal = undefined
      this.#endWhenIdle()
      return undefined
    }
    child.kill('SIGKILL')
    log.warn({ reason }, 'bpftrace does not tell what programs do')
    this.#refusal = { reason: `bpftrace does not work here: ${reason}`, until: performance.now() + refusalTime }
    return this.#refusal.reason
  }

  #endWhenIdle(): void {
    if (this.#listeners.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#process?.kill('SIGKILL'), idleTime).unref()
  }

  /** Has a program do what is to be seen until it was. */
  async #prove({ path }: ControlGroup, seen: Promise<undefined>): Promise<undefined> {
    let isSeen = false
    const command = `echo $$ > "$1/cgroup.procs" && ${this.#options.proof.command}`
    const attempt = (): void => {
      if (isSeen) return
      spawn(findProgram('bash') ?? 'bash', ['--norc', '--noprofile', '-p', '-c', command, 'sallyport', path], { stdio: 'ignore' }).once(
        'error',
        () => undefined, // the next one, or the time is over
      )
    }
    attempt()
    const timer = setInterval(attempt, proofInterval)
    setTimeout(() => clearInterval(timer), startTimeout).unref()
    await seen
    isSeen = true
    clearInterval(timer)
    return undefined
  }

  #onMade(group: string): void {
    this.#fences.get(group)?.()
    this.#fences.delete(group)
    if (this.#pendingFences > 0) this.#made.add(group)
  }

  #onLeftOut(group: string, total: number): void {
    const listened = this.#listeners.get(group)
    if (!listened || total <= listened.leftOut) return
    listened.listener.lost(total - listened.leftOut, 'it did too much at a time')
    listened.leftOut = total
  }

  #tellAll(count: number, reason: string): void {
    for (const { listener } of this.#listeners.values()) listener.lost(count, reason)
  }

  #onGone(child: ChildProcess, reason: string): void {
    if (this.#process !== child) return
    this.#process = undefined
    this.#listening = undefined
    for (const resolve of this.#fences.values()) resolve()
    this.#fences.clear()
    for (const listened of this.#listeners.values()) listened.leftOut = 0
    if (this.#isOver || this.#listeners.size === 0) return
    this.#options.log.warn({ reason }, 'bpftrace ended; it is started again')
    this.#tellAll(0, 'the host did not listen for a while')
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#restart(), this.#delay).unref()
    this.#delay = Math.min(this.#delay * 2, longestDelay)
  }

  async #restart(): Promise<void> {
    if (!this.#isOver && this.#listeners.size > 0) await (this.#listening ??= this.#start())
  }
}
