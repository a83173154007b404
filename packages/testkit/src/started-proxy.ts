/** Sallyport as its own process, started as a person starts it, for tests and measurements of its restarts. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import type { ApiClient } from './api-client.ts'
import type { Name } from './people.ts'
import { freePort } from './targets/free-port.ts'
import { signedIn, signUp } from './world.ts'
import type { Person } from './world.ts'

const program = join(import.meta.dirname, 'start-process.ts')
const clusterName = 'sallyport'

export interface StartedProxy extends AsyncDisposable {
  readonly child: ChildProcess
  readonly url: string
  readonly port: number
  readonly dataDir: string
  readonly cluster: string
  /** Id of this machine, its first server. */
  readonly hostId: string
  /** Resolves when the next generation serves; rejects with what the command would print. */
  restart(): Promise<number>
  /** Signs somebody up and in. */
  signIn(name: Name): Promise<ApiClient>
  /** A further sign-in of somebody who is known. */
  signInAgain(name: Name): Promise<ApiClient>
  generations(): Promise<{ number: number; sessions: number }[]>
  /** The exit code. */
  readonly ended: Promise<number | null>
}

export interface StartOptions {
  /** More of the command line, by the names of the settings. */
  flags?: Readonly<Record<string, unknown>>
  env?: Readonly<Record<string, string>>
  /** Address to listen on; `localhost` has several. */
  host?: string
}

export async function startProxyProcess({ flags = {}, env = {}, host = '127.0.0.1' }: StartOptions = {}): Promise<StartedProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-started-'))
  const dataDir = join(folder, 'data')
  const port = await freePort()
  const listen = `${host}:${port}`
  const given = { listen, dataDir, secondFactor: 'off', logLevel: 'warn', ...flags }
  const child = spawn(process.execPath, [program, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  // A test that is given up leaves nothing behind: the others end with the first process.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  void ended.then(() => process.off('exit', kill))
  const lines = createInterface(child.stdout)
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('Sallyport is ready')) resolve()
    })
    void ended.then((code) => reject(new Error(`the proxy ended with ${code} before it was ready`)))
  })
  const known = new Map<Name, Person>()
  const url = `${'tlsCert' in flags ? 'https' : 'http'}://localhost:${port}`
  return {
    child,
    url,
    port,
    dataDir,
    cluster: clusterName,
    hostId: (await readFile(join(dataDir, 'agent', 'host-id'), 'utf8')).trim(),
    restart: async () => (await ask(dataDir, adminCalls.restart, undefined)).generation,
    async signIn(name) {
      const person = await signUp(url, dataDir, name)
      known.set(name, person)
      return signedIn(url, person)
    },
    async signInAgain(name) {
      const person = known.get(name)
      if (!person) throw new Error(`${name} has no account yet`)
      return signedIn(url, person)
    },
    generations: async () => (await ask(dataDir, adminCalls.status, undefined)).generations,
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
