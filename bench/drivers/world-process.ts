/** A cluster in a process of its own, so that its memory and processor time can be told from the bench's. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface SshAccess {
  /** Id and name of the OpenSSH server. */
  id: string
  host: string
  port: number
  configFile: string
  keyFile: string
  knownHostsFile: string
}

/** What a browser of a signed-in person knows, and how the same server is reached without the proxy. */
export interface Place {
  origin: string
  dataDir: string
  cookie: string
  bearer: string
  cluster: string
  login: string
  ssh: SshAccess
  /** The same server for the same program, through the proxy. */
  native: Pick<SshAccess, 'configFile' | 'host'>
}

/** Of the proxy's process; memory in bytes, after a garbage collection. */
export interface Usage {
  rss: number
  heap: number
  cpuSeconds: number
}

/** Certificate and key of a user, and the authority of hosts, for a client in another process. */
export interface Identity {
  privateKey: string
  certificate: string
  hostCa: string
  hostName: string
}

export interface Answers {
  place: Place
  usage: Usage
  /** Seconds of processor time of the proxy's process, without a collection. */
  cpu: number
  /** Of its own thread alone: what nothing else can be done in. */
  threadCpu: number
  identity: Identity
}

export interface WorldProcess extends AsyncDisposable {
  readonly pid: number
  readonly place: Place
  ask<Q extends keyof Answers>(question: Q): Promise<Answers[Q]>
}

/** With SALLYPORT_BENCH_PROFILE=folder the process leaves its processor profile there. */
export async function startWorldProcess(): Promise<WorldProcess> {
  const profile = process.env['SALLYPORT_BENCH_PROFILE']
  const execArgv = ['--expose-gc', ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])]
  const child = fork(join(import.meta.dirname, 'world-child.ts'), { execArgv })
  const exited = once(child, 'exit')
  async function ask<Q extends keyof Answers>(question: Q): Promise<Answers[Q]> {
    const answer = Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('the process of the proxy ended')))])
    child.send(question)
    const [value] = await answer
    return value as Answers[Q]
  }
  const place = await ask('place')
  return {
    pid: child.pid ?? 0,
    place,
    ask,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exited
    },
  }
}
