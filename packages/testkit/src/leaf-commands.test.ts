/** `sallyport` and leaf clusters: which there are, which one commands are about, and what is reached there. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import * as trusted from '@sallyport/wire/calls/trusted-clusters.ts'
import { nativeAppHost } from '@sallyport/wire/native-ssh.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { ApiClient } from './api-client.ts'
import { addApp } from './app-browser.ts'
import { KubeClient, saveDocuments } from './kube-client.ts'
import { finished, NativeClient } from './native-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import { addPostgres, allowDatabases } from './targets/database.ts'
import { startKubeApi } from './targets/kube-api.ts'
import { whyNoProgram } from './targets/programs.ts'
import { isListed, sameRoles, trust } from './trust.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

const command = join(import.meta.dirname, '../../cli/src/main.ts')

describe.skipIf(whyNoProgram('ssh'))('sallyport', () => {
  const opened = new AsyncDisposableStack()
  let root: World
  let leaf: World
  let home: string
  let alice: ApiClient
  let leafAdmin: ApiClient
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'sallyport-home-'))
    opened.defer(() => rm(home, { recursive: true, force: true }))
    const secondFactor = 'off'
    root = opened.use(await createWorld({ people: ['alice', 'bob'], settings: { secondFactor, clusterName: 'root' } }))
    leaf = opened.use(await createWorld({ people: ['alice'], settings: { secondFactor, clusterName: 'leaf' } }))
    alice = await signedIn(root)
    leafAdmin = await signedIn(leaf)
    await login()
  })
  afterAll(() => opened.disposeAsync())

  async function signedIn({ url }: World): Promise<ApiClient> {
    const client = new ApiClient(url)
    await client.loadPage()
    client.bearer = (await client.call(signIn, { body: { user: 'alice', pass: passwordOf('alice') } })).token
    return client
  }
  async function run(args: readonly string[], input = '') {
    const child = spawn(process.execPath, [command, ...args], { env: { ...process.env, SALLYPORT_HOME: home, HOME: home } })
    const { code, out, err } = await finished(child, input)
    return { code, out: out.toString(), err }
  }
  const change = async (edit: (spec: Record<string, unknown>) => void): Promise<void> => {
    const [stored] = await leafAdmin.call(trusted.list)
    const document = parse(stored?.content ?? '') as { spec: Record<string, unknown> }
    edit(document.spec)
    await leafAdmin.call(trusted.update, { params: { name: 'root' }, body: { content: stringify(document) } })
  }
  const mapRoles = (role_map: readonly object[]) => change((spec) => (spec['role_map'] = role_map))
  const login = () => run(['login', '--proxy', root.url, '--user', 'alice'], `${passwordOf('alice')}\n`)
  const rows = async () => JSON.parse((await run(['clusters', '--format', 'json'])).out) as unknown
  const machine = `${ownLogin}@${agentHostname}`
  const commandsAt = async (clusterId: 'root' | 'leaf') => {
    const { events } = await (clusterId === 'leaf' ? leafAdmin : alice).call(searchEvents, {
      params: { clusterId },
      query: { limit: 1000 },
    })
    return events.flatMap(({ code, command: ran }) => (code === 'T3002I' ? [String(ran)] : []))
  }

  test('clusters are listed, and one is named for a single command', async () => {
    await trust(root, leaf, { root: alice, leaf: leafAdmin })
    expect(await rows()).toEqual([
      { name: 'root', status: 'online', current: true },
      { name: 'leaf', status: 'online', current: false },
    ])
    expect((await run(['ls', '--cluster=leaf', '--format', 'json'])).out).toContain(leaf.agentId)
    expect(await run(['ssh', '--cluster=leaf', machine, 'echo $((6 * 7)) # once'])).toMatchObject({ code: 0, out: '42\n' })
    expect(await commandsAt('leaf')).toEqual(['echo $((6 * 7)) # once'])
  })

  test('one is chosen for all commands that follow', async () => {
    expect(await run(['login', 'nowhere'])).toMatchObject({ code: 1, err: expect.stringContaining('There is no cluster "nowhere"') })
    expect(await run(['login', 'leaf'])).toMatchObject({ code: 0 })
    expect(await run(['ssh', machine, 'true # chosen'])).toMatchObject({ code: 0 })
    expect(await run(['ssh', '--cluster', 'root', machine, 'true # own'])).toMatchObject({ code: 0 })
    expect(await commandsAt('leaf')).toContain('true # chosen')
    expect(await commandsAt('root')).toEqual(['true # own'])

    const [sent, back] = [join(home, 'sent'), join(home, 'back')]
    await writeFile(sent, randomBytes(200_000))
    expect(await run(['scp', sent, `${machine}:${back}`])).toMatchObject({ code: 0 })
    expect((await readFile(back)).equals(await readFile(sent))).toBe(true)
    expect(await run(['login', 'root'])).toMatchObject({ code: 0 })
    expect(await rows()).toMatchObject([{ name: 'root', current: true }, { current: false }])
  })

  test('the configuration for other programs has a pattern for each leaf, and plain ssh goes there by it', async () => {
    const { out } = await run(['config'])
    expect(out).toContain('Host *.root *.leaf !root-proxy\n')
    const config = join(home, 'config')
    await writeFile(config, out)
    const child = spawn('ssh', ['-F', config, '-o', 'BatchMode=yes', `${machine}.leaf`, 'echo plain'], { stdio: 'pipe' })
    expect(await finished(child)).toMatchObject({ code: 0, out: Buffer.from('plain\n') })
  })

  test('a TCP application of a leaf: each direction may end before the other', async () => {
    const echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    opened.defer(() => void echo.close())
    await once(echo, 'listening')
    await addApp(leaf, 'queue', { uri: `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}` })
    await using client = await NativeClient.create(root)
    const data = randomBytes(3 * 1024 * 1024)
    const ran = await client.ssh(['-W', `${nativeAppHost('queue')}.leaf:1`, 'root-proxy'], data)
    expect({ code: ran.code, isSame: ran.out.equals(data) }).toEqual({ code: 0, isSame: true })
    const { events } = await leafAdmin.call(searchEvents, { params: { clusterId: 'leaf' }, query: { include: 'app.session.start' } })
    expect(events).toMatchObject([{ code: 'T2007I', user: 'alice-root', app_name: 'queue' }])
    expect(await client.ssh(['-W', `${nativeAppHost('absent')}.leaf:1`, 'root-proxy'])).toMatchObject({
      code: 255,
      err: expect.stringContaining('there is no application "absent"'),
    })
  })

  test.skipIf(whyNoProgram('initdb') ?? whyNoProgram('psql'))(
    'a database of a leaf is listed and opened with psql; its statements are in the log there',
    async () => {
      opened.use(await addPostgres(leaf, leafAdmin))
      await allowDatabases(alice, 'alice', { users: ['writer'], names: ['orders'] })
      expect((await run(['db', 'ls'])).out).not.toContain('orders')
      expect((await run(['db', 'ls', '--cluster=leaf'])).out).toMatch(/orders .*writer/)
      const as = ['--db-user', 'writer', '--db-name', 'orders']
      const ran = await run(['db', 'connect', 'orders', '--cluster=leaf', ...as], 'select 6 * 7;\n')
      expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('42') })
      const { events } = await leafAdmin.call(searchEvents, { params: { clusterId: 'leaf' }, query: { include: 'db.session.query' } })
      expect(events).toContainEqual(expect.objectContaining({ user: 'alice-root', db_user: 'writer', db_query: 'select 6 * 7;' }))
    },
    60_000,
  )

  test.skipIf(whyNoProgram('kubectl'))(
    'a Kubernetes cluster of a leaf is listed and used with kubectl, commands and watches too; the leaf decides and writes it down',
    async () => {
      const { kubeconfig, announce } = opened.use(await startKubeApi())
      const allow = {
        kubernetes_labels: { '*': '*' },
        kubernetes_groups: ['developers'],
        kubernetes_resources: [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }],
      }
      await saveDocuments(
        leaf,
        { kind: 'kube_cluster', version: 'v3', metadata: { name: 'prod', labels: {} }, spec: { kubeconfig } },
        { kind: 'role', version: 'v7', metadata: { name: 'kube' }, spec: { allow } },
      )
      await mapRoles([{ remote: 'access', local: ['access', 'kube'] }])
      expect((await run(['kube', 'ls', '--cluster=leaf'])).out).toContain('prod')
      const file = join(home, 'kubeconfig')
      expect(await run(['kube', 'login', 'prod', '--cluster=leaf', '--kubeconfig', file])).toMatchObject({ code: 0 })
      expect(await readFile(file, 'utf8')).toContain('/v1/kube/prod.leaf')

      await using client = await KubeClient.signIn(root, 'bob')
      const pods = await client.kubectl('prod.leaf', ['get', 'pods', '-o', 'name'])
      expect(pods).toMatchObject({ code: 0, out: expect.stringContaining('pod/web-1') })
      const cat = await client.kubectl('prod.leaf', ['exec', '-i', 'web-1', '--', 'sh', '-c', 'cat; exit 4'], 'through two clusters\n')
      expect(cat).toMatchObject({ code: 4, out: 'through two clusters\n' })
      const watching = await client.open('prod.leaf', '/api/v1/pods?watch=true')
      const lines = watching[Symbol.asyncIterator]() as AsyncIterator<Buffer>
      announce('ADDED', 'default', 'web-9')
      expect(String(((await lines.next()) as { value: Buffer }).value)).toContain('web-9')
      const lock = await root.proxy.locks.place({ target: { user: 'bob' }, message: 'out' }, 'system')
      await expect(lines.next()).rejects.toThrow()
      expect((await client.send('prod.leaf', '/version')).status).toBe(403)
      await root.proxy.locks.lift(lock.metadata.name, 'system')

      await mapRoles([{ remote: 'editor', local: ['editor', 'auditor'] }])
      const unmapped = { status: 403, body: expect.stringContaining('none of your roles is mapped') }
      expect(await client.send('prod.leaf', '/version')).toMatchObject(unmapped)
      await mapRoles(sameRoles)
      const { events } = await leafAdmin.call(searchEvents, { params: { clusterId: 'leaf' }, query: { limit: 1000 } })
      expect(events).toContainEqual(expect.objectContaining({ code: 'T3009I', user: 'bob-root', kubernetes_cluster: 'prod' }))
      expect(events).toContainEqual(expect.objectContaining({ code: 'T2000I', user: 'bob-root', kubernetes_cluster: 'prod' }))
    },
    60_000,
  )

  test('a leaf that is away is listed as offline, told as such, and left out of the configuration', async () => {
    await change((spec) => (spec['enabled'] = false))
    await isListed(alice, 'leaf', 'offline')
    expect((await run(['clusters'])).out).toMatch(/leaf +offline/)
    expect((await run(['config'])).out).toContain('Host *.root !root-proxy\n')
    const away = expect.stringContaining('cluster "leaf" is not reachable right now')
    expect(await run(['ls', '--cluster=leaf'])).toMatchObject({ code: 1, err: away })
  })
})
