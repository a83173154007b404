/** A proxy with this machine's agent as a process of its own, to be killed and started again with the same state at the same address. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import type { configOf } from '@sallyport/proxy/config.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { completeUserToken } from '@sallyport/wire/calls/users.ts'
import { ApiClient } from './api-client.ts'
import { logins, passwordOf, roles } from './people.ts'
import type { Name } from './people.ts'
import { freePort } from './targets/free-port.ts'

export type ProcessSettings = Parameters<typeof configOf>[0]

export interface ProxyProcess extends AsyncDisposable {
  readonly origin: string
  readonly cluster: string
  readonly dataDir: string
  /** Of this machine, which the proxy serves itself. */
  readonly hostId: string
  /** The administrator, signed in; stays so over restarts. */
  readonly alice: ApiClient
  pid(): number
  /** With SIGKILL: it has no time for anything. */
  kill(): Promise<void>
  /** Resolves when it answers. */
  startAgain(): Promise<void>
}

type Facts = Pick<ProxyProcess, 'origin' | 'cluster' | 'hostId'>

/** `beside`: another proxy of the same cluster, on the database that the settings name. */
export async function startProxyProcess(
  settings: Omit<ProcessSettings, 'listen' | 'dataDir'> = {},
  beside?: ProxyProcess,
): Promise<ProxyProcess> {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-process-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  // Proxies of one cluster have the same keys.
  if (beside) await cp(join(beside.dataDir, 'keys'), join(dataDir, 'keys'), { recursive: true })
  const listen = `127.0.0.1:${await freePort()}`
  let running: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (!running) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    running = undefined
    await ended
  }
  const begin = async (): Promise<Facts> => {
    const child = fork(join(import.meta.dirname, 'proxy-process-child.ts'))
    running = child
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('the proxy ended at its start')))
    child.send({ ...settings, listen, dataDir } satisfies ProcessSettings)
    const [facts] = (await Promise.race([once(child, 'message'), ended])) as [Facts]
    ended.catch(() => undefined) // from now on it may
    return facts
  }
  starting.defer(kill)
  const facts = await begin()
  if (!beside) await signUp(facts.origin, dataDir, 'alice', roles.alice)
  const alice = await signedIn(facts.origin, 'alice')
  const stack = starting.move()
  return {
    ...facts,
    dataDir,
    alice,
    pid: () => running?.pid ?? 0,
    kill,
    startAgain: async () => void (await begin()),
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
