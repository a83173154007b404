/** A proxy alone in a process of its own, to be asked what it costs, and killed. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ProxyUsage } from './proxy-child.ts'

export interface ProxyChild {
  readonly pid: number
  usage(): Promise<ProxyUsage>
  untilAgents(count: number): Promise<void>
  kill(): Promise<void>
}

export interface ProxyChildOptions {
  port?: number
  tls?: { certFile: string; keyFile: string }
}

export async function startProxyChild(dataDir: string, { port = 0, tls }: ProxyChildOptions = {}): Promise<ProxyChild> {
  const args = [dataDir, String(port), ...(tls ? [tls.certFile, tls.keyFile] : [])]
  const child = fork(join(import.meta.dirname, 'proxy-child.ts'), args, { execArgv: ['--expose-gc'] })
  const exited = once(child, 'exit')
  const answer = async (): Promise<unknown> =>
    (await Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('the proxy ended')))]))[0]
  await answer()
  return {
    pid: child.pid ?? 0,
    async usage() {
      child.send('usage')
      return (await answer()) as ProxyUsage
    },
    async untilAgents(count) {
      for (;;) {
        child.send('agents')
        if (Number(await answer()) >= count) return
        await wait(20)
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
