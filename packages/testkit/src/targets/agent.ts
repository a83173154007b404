/** A host of its own: the agent as a process, joined with a token, in a data directory of its own. */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bareHome } from '../bare-home.ts'

const program = fileURLToPath(import.meta.resolve('@sallyport/agent/standalone.ts'))

export interface JoinedHost extends AsyncDisposable {
  readonly dataDir: string
  readonly hostId: string
  /** Starts the agent. It is killed with the host. */
  start(): RunningAgent
}

export interface RunningAgent {
  readonly process: ChildProcess
  /** Resolves with the first line of the log, from the start on, that has this message. */
  logged(message: string): Promise<Record<string, unknown>>
  /** Resolves with the exit code. */
  stop(): Promise<number | null>
}

export interface HostOptions {
  proxy: string
  token: string
  hostname: string
  /** Further arguments of `join`. */
  args?: readonly string[]
  dataDir?: string
  /** In front of each command: to run it elsewhere, such as in a network namespace. */
  wrap?: readonly string[]
}

export interface JoinOutcome {
  code: number
  stdout: string
  stderr: string
}

const commandLine = (wrap: readonly string[], args: readonly string[]): [string, ...string[]] => {
  const [file = process.execPath, ...before] = wrap
  return [file, ...before, ...(wrap.length > 0 ? [process.execPath] : []), program, ...args]
}

/** Runs one command of the agent to its end. */
export function runAgent(args: readonly string[], wrap: readonly string[] = []): Promise<JoinOutcome> {
  const [file, ...rest] = commandLine(wrap, args)
  return new Promise((resolve) =>
    execFile(file, rest, { encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    ),
  )
}

/** Throws with what the agent says when it may not join. */
export async function joinHost({ proxy, token, hostname, args = [], wrap = [], ...given }: HostOptions): Promise<JoinedHost> {
  const dataDir = given.dataDir ?? (await mkdtemp(join(tmpdir(), 'sallyport-host-')))
  const agents = new Set<ChildProcess>()
  const dispose = async (): Promise<void> => {
    // What still runs writes into its directory.
    for (const agent of agents)
      if (agent.exitCode === null && agent.signalCode === null) {
        const ended = once(agent, 'exit')
        agent.kill('SIGKILL')
        await ended
      }
    if (given.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  const asked = ['join', '--proxy', proxy, '--token', token, '--hostname', hostname, '--data-dir', dataDir, ...args]
  const { code, stderr } = await runAgent(asked, wrap)
  if (code !== 0) {
    await dispose()
    throw new Error(stderr.trim())
  }
  // The login's own files print what tests do not expect.
  const file = join(dataDir, 'agent.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), environment: { HOME: bareHome } }))
  const hostId = (await readFile(join(dataDir, 'host-id'), 'utf8')).trim()
  return {
    dataDir,
    hostId,
    start() {
      const agent = startAgent(dataDir, wrap)
      agents.add(agent.process)
      return agent
    },
    [Symbol.asyncDispose]: dispose,
  }
}

function startAgent(dataDir: string, wrap: readonly string[]): RunningAgent {
  const [file, ...rest] = commandLine(wrap, ['start', '--data-dir', dataDir])
  const child = spawn(file, rest, { stdio: ['ignore', 'inherit', 'pipe'] })
  const exited = once(child, 'exit')
  const lines: Record<string, unknown>[] = []
  const waiting = new Set<() => void>()
  createInterface(child.stderr).on('line', (line) => {
    lines.push(line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : { message: line })
    for (const look of [...waiting]) look()
  })
  return {
    process: child,
    logged: (message) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => line['message'] === message)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void exited.then(() => reject(new Error(`the agent ended before it said "${message}": ${JSON.stringify(lines)}`)))
      }),
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code as number | null
    },
  }
}
