/** A real kube-apiserver over a real etcd on loopback, with RBAC. Both are started only where SALLYPORT_TEST_KUBE_APISERVER names the first. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { requireProgram, whyNoProgram } from './programs.ts'

const variable = 'SALLYPORT_TEST_KUBE_APISERVER'

/** Why there is none: undefined when there is. */
export function whyNoApiServer(): string | undefined {
  const binary = process.env[variable]
  if (!binary || !existsSync(binary)) return `${variable} names no kube-apiserver`
  return whyNoProgram('etcd')
}

export interface ApiServer extends AsyncDisposable {
  /** With the token of somebody who may impersonate, and nothing else. */
  readonly kubeconfig: string
  /** As an administrator of the cluster. */
  create(path: string, document: object): Promise<void>
}

const adminToken = 'administrator-of-the-test'
const proxyToken = 'impersonator-of-the-test'

export async function startApiServer(): Promise<ApiServer> {
  await using starting = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-apiserver-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const file = (name: string): string => join(folder, name)
  await writeFile(file('sa.key'), generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs1' }))
  await writeFile(file('tokens.csv'), `${proxyToken},sallyport,1\n${adminToken},admin,2,"system:masters"\n`)
  const [store, peer, port] = [await freePort(), await freePort(), await freePort()]
  const at = (number: number): string => `http://127.0.0.1:${number}`
  const run = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr?.pipe(createWriteStream(file(`${program.split('/').at(-1)}.log`)))
    starting.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    })
    return child
  }
  run(requireProgram('etcd'), [
    `--data-dir=${file('etcd')}`,
    `--listen-client-urls=${at(store)}`,
    `--advertise-client-urls=${at(store)}`,
    `--listen-peer-urls=${at(peer)}`,
    `--initial-advertise-peer-urls=${at(peer)}`,
    `--initial-cluster=default=${at(peer)}`,
  ])
  run(process.env[variable] ?? '', [
    `--etcd-servers=${at(store)}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${file('certs')}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=RBAC',
    `--service-account-key-file=${file('sa.key')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
  ])
  async function send(method: string, path: string, document?: object): Promise<{ status: number; body: string }> {
    const asked = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      rejectUnauthorized: false,
      agent: false,
    })
    asked.end(document && JSON.stringify(document))
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, body: await text(answer) }
  }
  while ((await send('GET', '/readyz').catch(() => undefined))?.status !== 200) await delay(200)
  // The first certificate of the file is the server's own, the last its authority.
  const ca = (await readFile(file('certs/apiserver.crt'))).toString('base64')
  const running = starting.move()
  return {
    kubeconfig: JSON.stringify({
      'current-context': 'real',
      contexts: [{ name: 'real', context: { cluster: 'real', user: 'sallyport' } }],
      clusters: [{ name: 'real', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': ca } }],
      users: [{ name: 'sallyport', user: { token: proxyToken } }],
    }),
    async create(path, document) {
      const { status, body } = await send('POST', path, document)
      if (status !== 201) throw new Error(`${path} was not created: ${body}`)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
