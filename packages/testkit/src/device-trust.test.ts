/** Trusted devices: a real TPM 2.0 in software, tpm2-tools, the command line, and OpenSSH with what it brings home. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nativeAppHost } from '@sallyport/wire/native-ssh.ts'
import { createAppSession } from '@sallyport/wire/calls/apps.ts'
import * as devices from '@sallyport/wire/calls/devices.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiClient } from './api-client.ts'
import { addApp } from './app-browser.ts'
import { KubeClient, saveDocuments } from './kube-client.ts'
import { finished } from './native-client.ts'
import type { Ran } from './native-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { startKubeApi } from './targets/kube-api.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { startTpm } from './targets/tpm.ts'
import type { Tpm } from './targets/tpm.ts'
import { TerminalClient } from './terminal-client.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

const command = join(import.meta.dirname, '../../cli/src/main.ts')
const wanted = 'asks for a trusted device'
const extension = 'trusted-device@sallyport'

describe.skipIf(whyNoProgram('ssh') ?? whyNoProgram('swtpm') ?? whyNoProgram('tpm2_sign'))('trusted devices', () => {
  const opened = new AsyncDisposableStack()
  let world: World
  let home: string
  let tpm: Tpm
  let alice: ApiClient
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'sallyport-home-'))
    opened.defer(() => rm(home, { recursive: true, force: true }))
    tpm = opened.use(await startTpm())
    world = opened.use(await createWorld({ people: ['alice', 'dan'], settings: { secondFactor: 'off' } }))
    const { kubeconfig } = opened.use(await startKubeApi())
    await saveDocuments(world, { kind: 'kube_cluster', version: 'v3', metadata: { name: 'dev', labels: {} }, spec: { kubeconfig } })
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1')
    opened.defer(() => void echo.close())
    await once(echo, 'listening')
    await addApp(world, 'queue', { uri: `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}` })
    await addApp(world, 'site', { uri: 'http://127.0.0.1:1' })
    alice = await signedIn('alice')
    const all = { '*': '*' }
    const allow = {
      logins: [ownLogin],
      node_labels: all,
      app_labels: all,
      kubernetes_labels: all,
      kubernetes_groups: ['developers'],
      kubernetes_resources: [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }],
      rules: [{ resources: ['device'], verbs: ['enroll'] }],
    }
    const role = { kind: 'role', version: 'v7', metadata: { name: 'careful' }, spec: { options: { device_trust_mode: 'required' }, allow } }
    await alice.call(createRole, { body: { content: JSON.stringify(role) } })
    await alice.call(updateUser, { body: { name: 'dan', roles: ['careful'] } })
  })
  afterAll(() => opened.disposeAsync())

  const here = (): { clusterId: string } => ({ clusterId: world.cluster })
  async function signedIn(name: Name): Promise<ApiClient> {
    const client = new ApiClient(world.url)
    await client.loadPage()
    client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
    return client
  }
  const start = (args: readonly string[], tcti: string | undefined = tpm.tcti): ChildProcess =>
    spawn(process.execPath, [command, ...args], { env: { ...process.env, SALLYPORT_HOME: home, TPM2TOOLS_TCTI: tcti }, stdio: 'pipe' })
  const run = async (args: readonly string[], input = '', tcti = tpm.tcti): Promise<Omit<Ran, 'out'> & { out: string }> => {
    const ran = await finished(start(args, tcti), input)
    return { ...ran, out: ran.out.toString() }
  }
  const login = (tcti = tpm.tcti) => run(['login', '--proxy', world.url, '--user', 'dan'], `${passwordOf('dan')}\n`, tcti)
  const openSsh = (args: readonly string[], config = 'config'): ChildProcess =>
    spawn(requireProgram('ssh'), ['-F', join(home, config), ...args], { stdio: 'pipe' })
  const server = (): string => `${ownLogin}@${agentHostname}.${world.cluster}`
  const ssh = async (text: string) => {
    const { out, ...ran } = await finished(openSsh([server(), text]))
    return { ...ran, out: out.toString() }
  }
  const queue = async (text: string) => {
    const { out, ...ran } = await finished(openSsh(['-W', `${nativeAppHost('queue')}:1`, `${world.cluster}-proxy`]), text)
    return { ...ran, out: out.toString() }
  }
  const keys = (): string => join(home, 'keys', new URL(world.url).host.replace(':', '_'))
  const podsPath = '/api/v1/namespaces/default/pods'
  /** With what the last sign-in brought. */
  async function kubeClient(): Promise<KubeClient> {
    const ca = await (await alice.fetch('/v1/webapi/auth/export?type=tls-user')).text()
    const [key, cert] = await Promise.all(['dan', 'dan-x509.pem'].map((file) => readFile(join(keys(), file), 'utf8')))
    return KubeClient.with(world, { key: key ?? '', cert: cert ?? '', ca })
  }
  async function pods(): Promise<{ status: number; body: string }> {
    await using client = await kubeClient()
    return client.send('dev', podsPath)
  }
  const eventsOf = async (code: string) =>
    (await alice.call(searchEvents, { params: here(), query: { limit: 1000 } })).events.filter((event) => event.code === code)
  const deviceOfDan = async () => (await alice.call(devices.list, { params: here() })).items?.find(({ owner }) => owner === 'dan')
  /** A shell that runs until something ends it. */
  async function openShell(config = 'config'): Promise<{ ended: Promise<string> }> {
    const child = openSsh(['-tt', server(), 'echo rea""dy; sleep 600'], config)
    const ready = Promise.withResolvers<void>()
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes: Buffer) => {
        said += bytes.toString()
        if (said.includes('ready')) ready.resolve()
      })
    const ended = once(child, 'close').then(() => said)
    await Promise.race([ready.promise, ended])
    expect(said).toContain('ready')
    return { ended }
  }

  test('before a device is enrolled everything is in sight and nothing opens, neither natively nor in a browser, and each refusal says why', async () => {
    expect(await login()).toMatchObject({ code: 0, err: expect.not.stringContaining('device') })
    expect((await run(['ls'])).out).toContain(agentHostname)
    const { out: config } = await run(['config'])
    await writeFile(join(home, 'config'), config)
    // The way to the proxy is opened with this certificate, which names no device, and the server with that of the last sign-in.
    for (const file of ['dan', 'dan-cert.pub']) await copyFile(join(keys(), file), join(home, file))
    const way = [
      `Host ${world.cluster}-proxy`,
      `  IdentityFile ${join(home, 'dan')}`,
      `  CertificateFile ${join(home, 'dan-cert.pub')}`,
      '',
    ]
    await writeFile(join(home, 'plain-way'), `${way.join('\n')}${config}`)
    expect(await ssh('true')).toMatchObject({ code: 255, err: expect.stringContaining(wanted) })
    expect(await queue('x')).toMatchObject({ err: expect.stringContaining(wanted) })
    expect(await pods()).toMatchObject({ status: 403, body: expect.stringContaining(wanted) })
    const browser = await signedIn('dan')
    await using terminal = await TerminalClient.open(browser, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
    await terminal.closed()
    expect(terminal.output).toContain('Browsers cannot prove a device')
    const session = { fqdn: `site.${new URL(world.url).hostname}`, cluster_name: world.cluster }
    await expect(browser.call(createAppSession, { body: session })).rejects.toThrow(wanted)
  })

  test('R2-097: with its token a device enrolls once; from then on each sign-in there proves it and opens what asks for one', async () => {
    const { id } = await alice.call(devices.create, { params: here(), body: { osType: 'linux', assetTag: 'LT-1' } })
    const { token } = await alice.call(devices.createToken, { params: { ...here(), id } })
    expect(await run(['device', 'enroll'], 'not-the-token\n')).toMatchObject({ code: 1, err: expect.stringContaining('ask for a new one') })
    expect(await run(['device', 'enroll', '--token', token])).toMatchObject({ code: 0, out: expect.stringContaining('enrolled as LT-1') })
    expect(await ssh('echo $((6 * 7))')).toMatchObject({ code: 0, out: '42\n' })
    expect(await run(['device', 'enroll', '--token', token])).toMatchObject({ code: 1, err: expect.stringContaining('was used') })

    expect(await login()).toMatchObject({ code: 0, out: expect.stringContaining('Trusted device: LT-1') })
    expect(await ssh('echo $((6 * 7))')).toMatchObject({ code: 0, out: '42\n' })
    expect(await queue('there and back')).toMatchObject({ code: 0, out: 'there and back' })
    expect((await pods()).status).toBe(200)
    expect(await deviceOfDan()).toMatchObject({ id, enrollStatus: 'enrolled', lastSeen: expect.stringMatching(/Z$/), source: 'manual' })
    const about = { success: true, device: { device_id: id, asset_tag: 'LT-1', os_type: 'linux' } }
    for (const [code, user] of Object.entries({ TV001I: 'alice', TV003I: 'alice', TV004I: 'dan', TV005I: 'dan', TV006I: 'dan' }))
      expect(await eventsOf(code), code).toContainEqual(
        expect.objectContaining({ ...about, user, device: expect.objectContaining(about.device) }),
      )
    expect(await eventsOf('TV004I')).toContainEqual(expect.objectContaining({ success: false, user: 'dan' }))
    expect((await eventsOf('T2000I'))[0] ?? (await eventsOf('T3002I'))[0]).toMatchObject({ trusted_device: { device_id: id } })
    // It opens natively alone: a browser has no part in it.
    await using terminal = await TerminalClient.open(await signedIn('dan'), {
      cluster: world.cluster,
      serverId: world.agentId,
      login: ownLogin,
    })
    await terminal.closed()
    expect(terminal.output).toContain(wanted)
  })

  test('what lies on disk proves nothing on another machine', async () => {
    await using other = await startTpm()
    const there = await login(other.tcti)
    expect(there).toMatchObject({
      code: 0,
      err: expect.stringContaining('without your trusted device'),
      out: expect.not.stringContaining('LT-1'),
    })
    expect(await ssh('true')).toMatchObject({ code: 255, err: expect.stringContaining(wanted) })
    await login()
    expect((await ssh('true')).code).toBe(0)
  })

  test('a locked device ends what came from it at once, and proves nothing until the lock is lifted', async () => {
    const id = (await deviceOfDan())?.id ?? ''
    const shell = await openShell()
    const { metadata } = await world.proxy.locks.place({ target: { device: id }, message: 'lost on a train' }, 'alice')
    expect(await shell.ended).toContain('lost on a train')
    expect(await ssh('true')).toMatchObject({ code: 255, err: expect.stringContaining('Permission denied') })
    expect(await pods()).toMatchObject({ status: 403, body: expect.stringContaining('lost on a train') })
    expect(await login()).toMatchObject({ err: expect.stringContaining('lost on a train') })
    expect(await ssh('true')).toMatchObject({ code: 255, err: expect.stringContaining(wanted) })
    await world.proxy.locks.lift(metadata.name, 'alice')
    await login()
    expect((await ssh('true')).code).toBe(0)
  })

  test('a device that is removed ends what came from it, and its certificate counts as one without a device', async () => {
    const id = (await deviceOfDan())?.id ?? ''
    const certificate = await readFile(join(keys(), 'dan-cert.pub'), 'utf8')
    expect(Buffer.from(certificate.split(' ')[1] ?? '', 'base64').toString('latin1')).toContain(extension)
    const shells = await Promise.all([openShell(), openShell('plain-way')])
    await using kube = await kubeClient()
    const watched = await kube.open('dev', `${podsPath}?watch=true`)
    expect(watched.statusCode).toBe(200)
    const cut = Promise.withResolvers<void>()
    watched
      .on('error', () => undefined)
      .once('close', cut.resolve)
      .resume()
    await alice.call(devices.remove, { params: { ...here(), id } })
    await cut.promise
    for (const shell of shells) expect(await shell.ended).toContain('removed from the trusted ones')
    expect(await ssh('true')).toMatchObject({ code: 255, err: expect.stringContaining(wanted) })
    expect(await pods()).toMatchObject({ status: 403, body: expect.stringContaining(wanted) })
    expect(await login()).toMatchObject({ code: 0, err: expect.stringContaining('not enrolled for you') })
    expect(await eventsOf('TV002I')).toContainEqual(expect.objectContaining({ user: 'alice', success: true }))
  })

  test.skipIf(existsSync('/dev/tpmrm0'))('a machine without a TPM is told so, and no key is made', async () => {
    const { TPM2TOOLS_TCTI: _none, ...env } = process.env
    const child = spawn(process.execPath, [command, 'device', 'enroll', '--token', 'x'], {
      env: { ...env, SALLYPORT_HOME: home },
      stdio: 'pipe',
    })
    expect(await finished(child)).toMatchObject({ code: 1, err: expect.stringContaining('has no TPM 2.0') })
    const left = await readdir(join(home, 'devices'), { recursive: true })
    expect(left.filter((file) => file.endsWith('key.priv'))).toHaveLength(1)
  })
})
