/** A whole cluster in this process: proxy, this machine's agent, a real OpenSSH server, and people with passwords and codes. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { startLocalAgent } from '@sallyport/cli/local-agent.ts'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { tcpRoute } from '@sallyport/proxy/core/tunnel/tunnel.ts'
import { startProxy, type Proxy } from '@sallyport/proxy/main.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { completeUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import { ApiClient } from './api-client.ts'
import { Authenticator } from './authenticator.ts'
import { bareHome } from './bare-home.ts'
import { logins, names, passwordOf, roles, type Name } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { startSshd, type Sshd } from './targets/sshd.ts'

export interface WorldOptions {
  /** Settings of the proxy besides address and data directory. */
  settings?: Omit<Parameters<typeof configOf>[0], 'listen' | 'dataDir'>
  /** Port of the console; any free one by default. */
  port?: number
  /** Who to sign up; everybody by default. */
  people?: readonly Name[]
}

export interface Person {
  readonly name: Name
  readonly password: string
  readonly authenticator: Authenticator
}

export interface World extends AsyncDisposable {
  readonly proxy: Proxy
  /** Origin of the console. */
  readonly url: string
  readonly cluster: string
  readonly dataDir: string
  /** Id of this machine, served by the agent. */
  readonly agentId: string
  /** The OpenSSH server and its id; undefined where none is installed. */
  readonly sshd: (Sshd & { readonly id: string }) | undefined
  /** Link of the first administrator, unused. */
  readonly firstInvite: string
  person(name: Name): Person
  /** A signed-in client with a session of its own. */
  signIn(name: Name): Promise<ApiClient>
}

export const agentHostname = 'this-machine'
export const sshdHostname = 'openssh'

export async function createWorld({ settings = {}, port = 0, people = names }: WorldOptions = {}): Promise<World> {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-world-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  const config = configOf({ logLevel: 'error', ...settings, listen: `127.0.0.1:${port}`, dataDir })
  const proxy = starting.use(await startProxy(config))
  const agent = starting.use(
    await startLocalAgent(proxy, dataDir, {
      hostname: agentHostname,
      labels: { env: 'test', served: 'agent' },
      environment: { HOME: bareHome },
      log: createLog(config.logLevel),
    }),
  )
  const sshd = whyNoProgram('sshd') ? undefined : await addSshd(proxy, sshdHostname)
  if (sshd) starting.use(sshd)

  const known = new Map<Name, Person>()
  for (const name of people) known.set(name, await signUp(proxy.publicUrl, dataDir, name))

  const person = (name: Name): Person => {
    const found = known.get(name)
    if (!found) throw new Error(`${name} was not asked for when this world was made`)
    return found
  }
  const running = starting.move()
  return {
    proxy,
    url: proxy.publicUrl,
    cluster: config.clusterName,
    dataDir,
    agentId: agent.hostId,
    sshd,
    firstInvite: proxy.firstInvite ?? '',
    person,
    signIn: (name) => signedIn(proxy.publicUrl, person(name)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** A further OpenSSH server of the cluster. */
export async function addSshd(proxy: Proxy, hostname: string, sftp?: string | false, x11 = true): Promise<Sshd & { id: string }> {
  const id = randomUUID()
  const { authorities, inventory, dialer } = proxy
  const sshd = await startSshd({
    userCa: authorities.userCa.publicLine,
    certify: (line) =>
      formatCertificate(authorities.issueHostCertificate({ publicKey: parsePublicKey(line), hostId: id, names: [hostname] })),
    ...(sftp !== undefined && { sftp }),
    x11,
  })
  const registration = dialer.register(id, tcpRoute(sshd))
  const addr = `${sshd.host}:${sshd.port}`
  const labels = { env: 'test', served: 'openssh' }
  const beat = () => inventory.heartbeat({ id, hostname, addr, tunnel: false, labels, subKind: 'openssh' })
  await beat()
  // For worlds that live longer than a heartbeat counts; one that fails is made up for by the next.
  const timer = setInterval(() => void beat().catch(() => undefined), 60_000).unref()
  return {
    ...sshd,
    id,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      registration[Symbol.dispose]()
      await sshd[Symbol.asyncDispose]()
    },
  }
}

/** As people do it: an invite link, then a password and the code of an authenticator app. */
export async function signUp(origin: string, dataDir: string, name: Name): Promise<Person> {
  const { link } = await ask(dataDir, adminCalls.addUser, { name, roles: [...roles[name]], logins: [...logins[name]] })
  const client = new ApiClient(origin)
  await client.loadPage()
  const token = await client.call(readUserToken, { params: { tokenId: link.split('/').at(-1) ?? '' } })
  const authenticator = new Authenticator(token.totpSecret)
  const password = passwordOf(name)
  await client.call(completeUserToken, {
    body: { token: token.tokenId, password: Buffer.from(password).toString('base64'), second_factor_token: await authenticator.code() },
  })
  return { name, password, authenticator }
}

export async function signedIn(origin: string, { name, password, authenticator }: Person): Promise<ApiClient> {
  const client = new ApiClient(origin)
  await client.loadPage()
  const session = await client.call(signIn, { body: { user: name, pass: password, second_factor_token: await authenticator.code() } })
  client.bearer = session.token
  return client
}
