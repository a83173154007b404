/** `sallyport start` as a process of its own, to be killed and started again with the same state at the same address. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { completeUserToken } from '@sallyport/wire/calls/users.ts'
import { ApiClient } from './api-client.ts'
import { logins, passwordOf, roles } from './people.ts'
import type { Name } from './people.ts'
import { ownPort } from './targets/free-port.ts'

const program = fileURLToPath(import.meta.resolve('@sallyport/cli/main.ts'))

export interface ProxyProcess extends AsyncDisposable {
  readonly origin: string
  readonly cluster: string
  readonly dataDir: string
  /** The administrator, signed in; stays so over restarts. */
  readonly alice: ApiClient
  pid(): number
  /** Id of this machine, which the proxy serves itself. */
  hostId(): Promise<string>
  /** With SIGKILL: it has no time for anything. */
  kill(): Promise<void>
  /** Resolves when it answers. */
  startAgain(): Promise<void>
}

/** `beside`: another proxy of the same cluster, on the database that the settings name. */
export async function startProxyProcess(settings: readonly string[] = [], beside?: ProxyProcess): Promise<ProxyProcess> {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-process-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  // Proxies of one cluster have the same keys.
  if (beside) await cp(join(beside.dataDir, 'keys'), join(dataDir, 'keys'), { recursive: true })
  const listen = `127.0.0.1:${await ownPort()}`
  const args = ['start', '--data-dir', dataDir, '--listen', listen, '--log-level', 'error', '--second-factor', 'off', ...settings]
  let running: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (!running) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    running = undefined
    await ended
  }
  const begin = async (): Promise<void> => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    running = child
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the proxy ended with ${code} at its start`)))
      createInterface(child.stdout).on('line', (line) => line.startsWith('Sallyport is ready') && resolve())
    })
  }
  starting.defer(kill)
  await begin()
  const { publicUrl: origin, clusterName: cluster } = await ask(dataDir, adminCalls.status, undefined)
  if (!beside) await signUp(origin, dataDir, 'alice', roles.alice)
  const alice = await signedIn(origin, 'alice')
  const stack = starting.move()
  return {
    origin,
    cluster,
    dataDir,
    alice,
    pid: () => running?.pid ?? 0,
    hostId: async () => (await readFile(join(dataDir, 'agent', 'host-id'), 'utf8')).trim(),
    kill,
    startAgain: begin,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Somebody new, of whom a password is all that is asked. */
export async function signUp(origin: string, dataDir: string, name: Name, held: readonly string[]): Promise<void> {
  const { link } = await ask(dataDir, adminCalls.addUser, { name, roles: [...held], logins: [...logins[name]] })
  const client = new ApiClient(origin)
  await client.loadPage()
  const password = Buffer.from(passwordOf(name)).toString('base64')
  await client.call(completeUserToken, { body: { token: link.split('/').at(-1) ?? '', password } })
}

export async function signedIn(origin: string, name: Name): Promise<ApiClient> {
  const client = new ApiClient(origin)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
  return client
}
