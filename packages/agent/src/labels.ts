import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { machine, platform, release } from 'node:os'
import { isolated } from './launch.ts'
import type { AgentLog } from './log.ts'

export type Labels = Readonly<Record<string, string>>

/** A label whose value is what a command prints. */
export interface CommandLabel {
  readonly command: readonly [string, ...string[]]
  /** Milliseconds from the end of one run to the next; at least a second. */
  readonly period: number
}

export interface LabelOptions {
  readonly labels: Labels
  readonly commandLabels: Readonly<Record<string, CommandLabel>>
  readonly log: AgentLog
  readonly onChange: () => void
}

export interface RunningLabels extends Disposable {
  /** Static labels, and the last result of each command that has run; a command that failed has its error for value. */
  current(): Labels
}

const minPeriod = 1_000
const maxRuntime = 10_000
const outputLimit = 64 * 1024
const valueLimit = 1024
const namePattern = /^[\w.:/*-]{1,128}$/u

function distribution(): string | undefined {
  try {
    const text = readFileSync('/etc/os-release', 'utf8')
    const field = (name: string): string | undefined => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'mu').exec(text)?.[1]
    const id = field('ID')
    const version = field('VERSION_ID')
    return id && (version ? `${id}-${version}` : id)
  } catch {
    // Not every system has the file, and nothing depends on it.
    return undefined
  }
}

/** What one expects to filter servers by, without having set anything. */
export function defaultLabels(): Labels {
  const distro = distribution()
  return { os: platform(), arch: machine(), kernel: release(), ...(distro && { distro }) }
}

function run({ command, period }: CommandLabel): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { file, args } = isolated(command)
  execFile(
    file,
    args,
    { timeout: Math.min(Math.max(period, minPeriod), maxRuntime), killSignal: 'SIGKILL', maxBuffer: outputLimit, encoding: 'utf8' },
    (error, stdout, stderr) => {
      const reason = error && (error.killed ? 'it took too long' : stderr.trim() || error.message.split('\n')[0])
      resolve((error ? `error: ${reason}` : stdout.trim()).slice(0, valueLimit))
    },
  )
  return promise
}

/** Runs the commands now and then again, each on its own period. Throws on a label name that cannot be used. */
export function startLabels({ labels, commandLabels, log, onChange }: LabelOptions): RunningLabels {
  const wrong = [...Object.keys(labels), ...Object.keys(commandLabels)].find((name) => !namePattern.test(name))
  if (wrong !== undefined) throw new Error(`"${wrong}" is not a label name: letters, digits and _ . : / * - are allowed, up to 128.`)
  const results = new Map<string, string>()
  const timers = new Map<string, NodeJS.Timeout>()
  let stopped = false

  const refresh = async (name: string, label: CommandLabel): Promise<void> => {
    const value = await run(label)
    if (stopped) return
    if (results.get(name) !== value) {
      if (value.startsWith('error: ')) log.warn({ label: name, reason: value }, 'the command of a label failed')
      results.set(name, value)
      onChange()
    }
    timers.set(name, setTimeout(() => void refresh(name, label), Math.max(label.period, minPeriod)).unref())
  }
  for (const [name, label] of Object.entries(commandLabels)) void refresh(name, label)

  return {
    current: () => ({ ...labels, ...Object.fromEntries(results) }),
    [Symbol.dispose]() {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
