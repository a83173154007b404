/** OpenSSH's own programs at a leaf cluster, through its root: the leaf decides, records and ends; the root lets in and locks. */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createConnection } from 'node:net'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { confirmedExtension } from '@sallyport/proxy/core/authorities/person-extensions.ts'
import { connectSsh } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { SshIdentity } from '@sallyport/proxy/kinds/ssh/ssh2-certificates.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents, searchSessions } from '@sallyport/wire/calls/events.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import * as trusted from '@sallyport/wire/calls/trusted-clusters.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { parse, stringify } from 'yaml'
import type { ApiClient } from './api-client.ts'
import { saveDocuments } from './kube-client.ts'
import { NativeClient } from './native-client.ts'
import { NativeWindow } from './native-window.ts'
import { ownLogin } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { isListed, sameRoles, trust } from './trust.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

const opened = new AsyncDisposableStack()
let root: World
let leaf: World
let alice: ApiClient
let leafAdmin: ApiClient
let native: NativeClient
beforeAll(async () => {
  root = opened.use(await createWorld({ people: ['alice', 'bob', 'dan'], settings: { clusterName: 'root' } }))
  leaf = opened.use(await createWorld({ people: ['alice'], settings: { clusterName: 'leaf' } }))
  alice = await root.signIn('alice')
  leafAdmin = await leaf.signIn('alice')
  native = opened.use(await NativeClient.create(root))
})
afterAll(() => opened.disposeAsync())

const atLeaf = { params: { clusterId: 'leaf' } }
const machine = `${agentHostname}.leaf`
const machines = [machine, ...(whyNoProgram('sshd') ? [] : [`${sshdHostname}.leaf`])]
const eventsAt = async (clusterId: 'root' | 'leaf', ...codes: string[]): Promise<AuditEventWire[]> => {
  const by = clusterId === 'leaf' ? leafAdmin : alice
  const { events } = await by.call(searchEvents, { params: { clusterId }, query: { limit: 2000, order: 'asc' } })
  return events.filter(({ code }) => codes.includes(code ?? ''))
}
const running = async () => (await leafAdmin.call(activeSessions, atLeaf)).sessions
/** The one that runs there; those of the tests before end with their clients. */
async function onlySession() {
  await expect.poll(running).toHaveLength(1)
  return (await running())[0]
}
/** What the leaf makes of the roles of the root. */
const mapRoles = async (role_map: readonly object[]): Promise<void> => {
  const [stored] = await leafAdmin.call(trusted.list)
  const document = parse(stored?.content ?? '') as { spec: Record<string, unknown> }
  document.spec['role_map'] = role_map
  await leafAdmin.call(trusted.update, { params: { name: 'root' }, body: { content: stringify(document) } })
}
const leafRole = (name: string, spec: object) =>
  leafAdmin.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec }) } })
const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

describe.skipIf(whyNoProgram('ssh'))('at a leaf', () => {
  test('a command runs on its machines with output, errors and status; the leaf records it of alice-root, the root nothing', async () => {
    await trust(root, leaf, { root: alice, leaf: leafAdmin })
    for (const host of machines) {
      const command = `printf 'out\\n'; printf 'err\\n' >&2; exit 7 # ${host}`
      expect(await native.ssh([host, command])).toMatchObject({ code: 7, out: Buffer.from('out\n'), err: 'err\n' })
      const mine = (await eventsAt('leaf', 'T2000I', 'T3002E', 'T2004I')).filter(
        (event) => `${String(event['server_hostname'])}.leaf` === host,
      )
      expect(mine.map(({ code }) => code).toSorted()).toEqual(['T2000I', 'T2004I', 'T3002E'])
      for (const event of mine) expect(event).toMatchObject({ user: 'alice-root', login: ownLogin, cluster_name: 'leaf' })
      const { events } = await alice.call(searchSessions, { ...atLeaf, query: {} })
      expect(events.map(({ sid }) => sid)).toContain(mine[0]?.['sid'])
    }
    expect(await eventsAt('root', 'T2000I', 'T3002I', 'T3002E')).toEqual([])
  })

  test('a name that both clusters have is the own one alone or with its name behind it, and the other one with that of the leaf', async () => {
    for (const [name, cluster] of [
      [agentHostname, 'root'],
      [`${agentHostname}.root`, 'root'],
      [machine, 'leaf'],
      [`${leaf.agentId}.leaf`, 'leaf'],
    ] as const) {
      expect(await native.ssh([name, `true # ${name}`])).toMatchObject({ code: 0, err: '' })
      const at = async (where: 'root' | 'leaf') =>
        (await eventsAt(where, 'T3002I')).filter((event) => event['command'] === `true # ${name}`).length
      expect({ root: await at('root'), leaf: await at('leaf') }, name).toEqual({ root: 0, leaf: 0, [cluster]: 1 })
    }
  })

  test('5 MB come and go, every byte, while the client next to it does not read', async () => {
    const stalled = native.start('ssh', [machine, 'head -c 200000000 /dev/zero'])
    await once(stalled.stdout ?? stalled, 'readable')
    const sent = randomBytes(5_000_000)
    const { code, out } = await native.ssh([machine, 'cat'], sent)
    expect({ code, hash: hash(out) }).toEqual({ code: 0, hash: hash(sent) })
    stalled.kill('SIGKILL')
    await once(stalled, 'close')
    await expect.poll(running).toEqual([])
  })

  test.skipIf(whyNoProgram('scp') ?? whyNoProgram('sftp') ?? whyNoProgram('rsync'))('scp and rsync copy there and back', async () => {
    const bytes = randomBytes(3_000_000)
    const file = (name: string): string => join(native.folder, name)
    await writeFile(file('local'), bytes)
    for (const [program, args] of [
      ['scp', []],
      ['scp', ['-O']],
      ['rsync', ['-e', `ssh -F ${native.config}`]],
    ] as const) {
      const copy = (from: string, to: string) =>
        program === 'scp' ? native.run(program, [...args, from, to]) : native.plain(program, [...args, from, to])
      expect(await copy(file('local'), `${machine}:${file('far')}`)).toMatchObject({ code: 0 })
      expect(await copy(`${machine}:${file('far')}`, file('back'))).toMatchObject({ code: 0 })
      expect(hash(await readFile(file('back')))).toBe(hash(bytes))
    }
    expect((await eventsAt('leaf', 'TS001I')).length).toBeGreaterThan(0)
  })

  test('a terminal is listed at the leaf and joined there; a lock of the leaf ends it with its reason and keeps its owner out', async () => {
    using window = new NativeWindow(native, [machine])
    window.pty.write('PS1=; echo "native $((6 * 7)) $(stty size)"\n')
    await window.see('native 42 30 90')
    const session = await onlySession()
    expect(session).toMatchObject({ owner: 'alice-root', parties: [{ user: 'alice-root' }] })
    // A moderator or a colleague may be at either cluster.
    await using browser = await TerminalClient.open(alice, { cluster: 'leaf', sid: session?.id ?? '', mode: 'peer' })
    await browser.see('native 42')
    browser.type('echo "browser $((7 * 7))"\n')
    await window.see('browser 49')
    const target = { user: 'alice-root' }
    const { name: uuid } = await leafAdmin.call(locks.put, { ...atLeaf, body: { targets: target, message: 'maintenance' } })
    await window.see('lock targeting User:"alice-root" is in force: maintenance')
    expect(await window.exit.promise).toBe(255)
    expect(await native.ssh([machine, 'true'])).toMatchObject({ code: 255, err: expect.stringContaining('maintenance') })
    expect((await native.ssh([agentHostname, 'true'])).code).toBe(0)
    await leafAdmin.call(locks.remove, { params: { clusterId: 'leaf', uuid } })
  })

  test('a lock of the root ends what runs at the leaf, with its reason', async () => {
    await using bob = await NativeClient.create(root, { user: 'bob' })
    using window = new NativeWindow(bob, [machine])
    window.pty.write('echo "in $((1 + 1))"\n')
    await window.see('in 2')
    const session = await onlySession()
    const body = { targets: { user: 'bob' }, message: 'out' }
    const { name: uuid } = await alice.call(locks.put, { params: { clusterId: 'root' }, body })
    await window.see('lock targeting User:"bob" is in force: out')
    expect(await window.exit.promise).toBe(255)
    await expect.poll(async () => (await eventsAt('leaf', 'T2004I')).map(({ sid }) => sid)).toContain(session?.id)
    expect((await bob.ssh([machine, 'true'])).err).toContain('Permission denied')
    await alice.call(locks.remove, { params: { clusterId: 'root', uuid } })
  })

  test('ports are forwarded by the machine of the leaf, where its roles allow that', async () => {
    const { code, out } = await native.ssh(['-W', `127.0.0.1:${leaf.proxy.address.port}`, machine], 'GET /webapi/ping HTTP/1.0\r\n\r\n')
    expect({ code, answer: out.toString() }).toMatchObject({ code: 0, answer: expect.stringContaining('"cluster_name":"leaf"') })
    expect(await eventsAt('leaf', 'T3003I')).toMatchObject([{ user: 'alice-root' }])
  })
})

describe.skipIf(whyNoProgram('ssh'))('who may not', () => {
  const refused = async (client: NativeClient, name = machine): Promise<string> => {
    const { code, out, err } = await client.ssh([name, 'echo in'])
    expect({ code, out: out.toString() }).toEqual({ code: 255, out: '' })
    return err
  }

  test('somebody without a role there, a login that no role there has, a server that is not there', async () => {
    await using dan = await NativeClient.create(root, { user: 'dan' })
    expect(await refused(dan)).toContain('none of your roles is mapped to one of this cluster')
    expect(await eventsAt('root', 'T1006W')).toContainEqual(expect.objectContaining({ user: 'dan', server_id: machine }))
    expect(await refused(native, `nobody@${machine}`)).toContain('No role allows the login "nobody" on it.')
    expect(await eventsAt('leaf', 'T1006W')).toContainEqual(
      expect.objectContaining({ user: 'alice-root', login: 'nobody', server_id: leaf.agentId }),
    )
    expect(await refused(native, 'nowhere.leaf')).toContain('server "nowhere.leaf" is not registered here or you have no access to it')
    expect(await refused(native, 'nowhere.elsewhere')).toContain('server "nowhere.elsewhere" is not registered here')
  })

  test('whose roles at the root do not enter the leaf learn nothing of it', async () => {
    const label = (labels: object) =>
      saveDocuments(root, { kind: 'remote_cluster', version: 'v3', metadata: { name: 'leaf', labels }, spec: {} })
    await label({ env: 'prod' })
    expect(await refused(native)).toContain(`server "${machine}" is not registered here or you have no access to it`)
    await label({})
    expect((await native.ssh([machine, 'true'])).code).toBe(0)
  })

  test('CVE-2024-45337: who holds another key than the one that opened the way, whatever certificate they have over it', async () => {
    const now = Math.floor(Date.now() / 1000)
    const spec = { serial: 1n, keyId: 'alice', principals: [ownLogin], validAfter: now - 60, validBefore: now + 3600 }
    const { peopleCa, hostCa } = root.proxy.authorities
    const identity = (): SshIdentity => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      return { privateKey, certificate: peopleCa.sign(publicKey, spec) }
    }
    const common = { user: ownLogin, clock: { now: () => Date.now() } }
    const own = identity()
    const { host, port } = root.proxy.address
    const stream = createConnection({ host, port })
    await using outer = await connectSsh({ ...common, stream, identity: own, verifyHost: { trustedCas: hostCa.trusted, names: ['root'] } })
    const inner = async (who: SshIdentity, name = machine) => {
      const way = await outer.forward({ host: machine, port: 22, originHost: '127.0.0.1', originPort: 1 })
      return connectSsh({ ...common, stream: way, identity: who, verifyHost: { trustedCas: hostCa.trusted, names: [name] } })
    }
    await expect(inner(identity())).rejects.toThrow('does not let')
    expect(await eventsAt('leaf', 'T3007W')).toMatchObject([{ error: expect.stringContaining('over another key') }])
    // The root vouches for the leaf under the name that was asked for, and no other.
    await expect(inner(own, agentHostname)).rejects.toThrow()
    await using connection = await inner(own)
    const ran = await connection.exec('echo reached')
    expect(await text(ran)).toBe('reached\n')
  })

  test('a browser, at the root or at the leaf', async () => {
    for (const client of [alice, leafAdmin]) {
      const query = new URLSearchParams({ access_token: client.bearer ?? '', host: agentHostname, port: '22' }).toString()
      const url = `${client.origin.replace('http', 'ws')}/v1/webapi/sites/leaf/jump?${query}`
      const socket = new WebSocket(url, { headers: { cookie: client.cookieHeader, origin: client.origin } })
      socket.on('error', () => undefined)
      const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
      expect({ status: answer.statusCode, body: await text(answer) }).toMatchObject({
        status: 403,
        body: expect.stringContaining('opened by a root cluster'),
      })
    }
  })

  test('a session that asks for a key opens for a certificate that one has just confirmed at the root', async () => {
    await leafRole('with-key', { allow: { logins: [ownLogin], node_labels: { '*': '*' } }, options: { require_session_mfa: true } })
    await mapRoles([{ remote: 'access', local: ['with-key'] }])
    expect(await refused(native)).toContain(`has to confirm this session; use "sallyport ssh --headless ${ownLogin}@${machine}"`)
    await using confirmed = await NativeClient.create(root, { extensions: { 'permit-pty': '', [confirmedExtension]: '' } })
    expect(await confirmed.ssh([machine, 'true'])).toMatchObject({ code: 0, err: '' })
    await mapRoles(sameRoles)
  })

  test('GHSA-xm63-rjwf-r3g8: where others have to be present, only a terminal opens, and waits for somebody of either cluster', async () => {
    const policy = { name: 'watch', filter: 'contains(user.spec.roles, "auditor")', kinds: ['ssh'], modes: ['moderator'], count: 1 }
    await leafRole('watched', { allow: { logins: [ownLogin], node_labels: { '*': '*' }, require_session_join: [policy] } })
    await leafRole('watching', { allow: { join_sessions: [{ name: 'w', roles: ['*'], kinds: ['ssh'], modes: ['moderator'] }] } })
    await mapRoles([
      { remote: 'access', local: ['watched'] },
      { remote: 'auditor', local: ['auditor', 'watching'] },
    ])
    await using bob = await NativeClient.create(root, { user: 'bob' })
    expect(await refused(bob)).toMatch(/terminal|present|moderat/i)
    using window = new NativeWindow(bob, [machine])
    await window.see('Sallyport >')
    const session = await onlySession()
    expect(session).toMatchObject({ owner: 'bob-root', moderated: true })
    await using moderator = await TerminalClient.open(alice, { cluster: 'leaf', sid: session?.id ?? '', mode: 'moderator' })
    await window.see('the session begins')
    window.pty.write('echo "watched $((6 * 7))"\n')
    await moderator.see('watched 42')
    window.pty.write('exit\n')
    await window.exit.promise
    await mapRoles(sameRoles)
  })

  test('the end of the trust ends what runs, and a leaf that is away is told as such', async () => {
    using window = new NativeWindow(native, [machine])
    window.pty.write('echo "in $((1 + 1))"\n')
    await window.see('in 2')
    const [stored] = await leafAdmin.call(trusted.list)
    const document = parse(stored?.content ?? '') as { spec: Record<string, unknown> }
    document.spec['enabled'] = false
    await leafAdmin.call(trusted.update, { params: { name: 'root' }, body: { content: stringify(document) } })
    expect(await window.exit.promise).toBe(255)
    await expect.poll(running).toEqual([])
    await isListed(alice, 'leaf', 'offline')
    expect(await refused(native)).toContain('cluster "leaf" is not reachable right now')
  })
})
