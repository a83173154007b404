/** Files, ports and keys through the proxy with the programs that people use. */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { finished, NativeClient } from './native-client.ts'
import type { Ran } from './native-client.ts'
import { ownLogin } from './people.ts'
import { freePort } from './targets/free-port.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let native: NativeClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob'] })
  alice = await world.signIn('alice')
  native = await NativeClient.create(world)
  const forbidden = { port_forwarding: false, ssh_file_copy: false }
  const allow = { logins: [ownLogin], node_labels: { '*': '*' } }
  for (const [name, options] of Object.entries({ 'no-copies': forbidden, 'with-keys': { forward_agent: true } }))
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec: { allow, options } }) },
    })
  await alice.call(updateUser, { body: { name: 'bob', roles: ['no-copies'] } })
})
afterAll(async () => {
  await native[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const audited = async (...codes: string[]): Promise<AuditEventWire[]> => {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 5000 } })
  return events.filter(({ code }) => codes.includes(code ?? ''))
}
const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const hosts = [agentHostname, ...(whyNoProgram('sshd') ? [] : [sshdHostname])]

describe.skipIf(whyNoProgram('scp') ?? whyNoProgram('sftp'))('files', () => {
  for (const host of hosts) {
    test(`R8-047, R8-048, R8-050: sftp on ${host} copies exactly, and each operation is written down with its outcome`, async () => {
      const folder = join(native.folder, `far-${host}`)
      await mkdir(folder)
      const bytes = randomBytes(3_000_000)
      await writeFile(join(native.folder, 'local'), bytes)
      const lines = [
        `mkdir ${folder}/d`,
        `put ${native.folder}/local ${folder}/d/a`,
        `chmod 600 ${folder}/d/a`,
        `rename ${folder}/d/a ${folder}/d/b`,
        `symlink b ${folder}/d/s`,
        `ln ${folder}/d/b ${folder}/d/h`,
        `get ${folder}/d/b ${native.folder}/back`,
        `ls ${folder}/d`,
        `rm ${folder}/d/h`,
        `-rm ${folder}/d/absent`,
        `-rmdir ${folder}/d`,
        `-mkdir ${folder}/d`,
        `-get ${folder}/absent ${native.folder}/absent`,
        `rm ${folder}/d/s`,
        `rm ${folder}/d/b`,
        `rmdir ${folder}/d`,
      ]
      const { code, err } = await native.run('sftp', ['-b', '-', host], `${lines.join('\n')}\n`)
      expect({ code, err }).toMatchObject({ code: 0 })
      expect(hash(await readFile(join(native.folder, 'back')))).toBe(hash(bytes))
      const here = (await audited(...sftpCodes)).filter(
        (event) => String(event['path']).startsWith(folder) || String(event['target_path']).startsWith(folder),
      )
      const seen = new Set(here.map((event) => event.code))
      for (const expected of [
        'TS001I',
        'TS007I',
        'TS010I',
        'TS011I',
        'TS011E',
        'TS012I',
        'TS012E',
        'TS013I',
        'TS013E',
        'TS016I',
        'TS018I',
        'TS019I',
      ])
        expect(seen, expected).toContain(expected)
      expect(here.find((event) => event.code === 'TS016I')).toMatchObject({
        path: `${folder}/d/a`,
        target_path: `${folder}/d/b`,
        user: 'alice',
        server_hostname: host,
      })
      expect(here.find((event) => event.code === 'TS012E')).toMatchObject({ path: `${folder}/d`, error: expect.any(String) })
      expect((await audited('T3001I')).find((event) => event['server_hostname'] === host)).toMatchObject({ name: 'sftp' })
    })

    test(`scp to and from ${host}`, async () => {
      const bytes = randomBytes(2_000_000)
      await writeFile(join(native.folder, 'local'), bytes)
      const far = join(native.folder, 'far-scp')
      expect(await native.run('scp', [join(native.folder, 'local'), `${host}:${far}`])).toMatchObject({ code: 0 })
      expect(await native.run('scp', [`${host}:${far}`, join(native.folder, 'back-scp')])).toMatchObject({ code: 0 })
      expect(hash(await readFile(join(native.folder, 'back-scp')))).toBe(hash(bytes))
    })
  }
  for (const host of hosts) {
    test(`R8-046: the old scp to and from ${host}, with events and their failures`, async () => {
      const bytes = randomBytes(2_000_000)
      await writeFile(join(native.folder, 'local'), bytes)
      const far = join(native.folder, `old-${host}`)
      expect(await native.run('scp', ['-O', join(native.folder, 'local'), `${host}:${far}`])).toMatchObject({ code: 0 })
      expect(await native.run('scp', ['-O', `${host}:${far}`, join(native.folder, 'back-old')])).toMatchObject({ code: 0 })
      expect(hash(await readFile(join(native.folder, 'back-old')))).toBe(hash(bytes))
      expect((await native.run('scp', ['-O', `${host}:${far}/absent`, join(native.folder, 'x')])).code).not.toBe(0)
      expect((await native.run('scp', ['-O', join(native.folder, 'local'), `${host}:${far}/absent/x`])).code).not.toBe(0)
      const mine = (await audited('T3004I', 'T3004E', 'T3005I', 'T3005E')).filter((event) => String(event['path']).startsWith(far))
      expect(mine.map(({ code }) => code).toSorted()).toEqual(['T3004E', 'T3004I', 'T3005E', 'T3005I'])
      expect(mine.find(({ code }) => code === 'T3004I')).toMatchObject({ path: far, action: 'download', server_hostname: host })
    })

    test.skipIf(whyNoProgram('rsync'))(`rsync to and from ${host}`, async () => {
      const from = join(native.folder, 'tree')
      await mkdir(from, { recursive: true })
      for (const name of ['a', 'b']) await writeFile(join(from, name), randomBytes(500_000))
      const rsync = (...args: string[]): Promise<Ran> =>
        finished(spawn(requireProgram('rsync'), ['-a', '-e', `ssh -F ${native.config}`, ...args], { stdio: 'pipe' }))
      const far = join(native.folder, `rsync-${host}`)
      expect(await rsync(`${from}/`, `${host}:${far}/`)).toMatchObject({ code: 0 })
      expect(await rsync(`${host}:${far}/`, join(native.folder, 'rsync-back/'))).toMatchObject({ code: 0 })
      expect(hash(await readFile(join(native.folder, 'rsync-back', 'b')))).toBe(hash(await readFile(join(from, 'b'))))
    })
  }

  test('R8-050: a role may forbid copying, and other subsystems are not offered', async () => {
    await using bob = await NativeClient.create(world, { user: 'bob' })
    const refusal = { err: expect.stringContaining('copying files is not allowed by your roles') }
    await writeFile(join(bob.folder, 'x'), 'x')
    expect(await bob.run('sftp', ['-b', '-', agentHostname], 'ls\n')).toMatchObject(refusal)
    expect(await bob.run('scp', ['-O', join(bob.folder, 'x'), `${agentHostname}:/tmp/never`])).toMatchObject(refusal)
    expect(await native.ssh(['-s', agentHostname, 'netconf'])).toMatchObject({
      code: 255,
      err: expect.stringContaining('"netconf" is not offered'),
    })
    expect((await audited('TS020E', 'T3010E')).map(({ code, user }) => `${code} ${user}`).toSorted()).toEqual(['T3010E bob', 'TS020E bob'])
    expect((await audited('T3001E')).filter((event) => event['name'] !== 'sftp')).toMatchObject([{ name: 'netconf', user: 'alice' }])
  })
})

const sftpCodes = Array.from({ length: 20 }, (_, index) => `TS${String(index + 1).padStart(3, '0')}`).flatMap((code) => [
  `${code}I`,
  `${code}E`,
])

describe.skipIf(whyNoProgram('ssh'))('ports and keys', () => {
  for (const host of hosts) {
    test(`R8-049: a port behind ${host} is forwarded, where a role allows it, and each connection is written down`, async () => {
      // It answers when the client has said all, so both directions end on their own.
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        const heard = createHash('sha256')
        socket.on('data', (bytes: Buffer) => heard.update(bytes))
        socket.on('end', () => socket.end(heard.digest('hex')))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const sent = randomBytes(2_000_000)
      expect(await native.ssh(['-W', `127.0.0.1:${port}`, host], sent)).toMatchObject({ code: 0, out: Buffer.from(hash(sent)) })
      expect((await audited('T3003I')).filter((event) => event['addr'] === `127.0.0.1:${port}`)).toMatchObject([
        { user: 'alice', server_hostname: host, success: true },
      ])
      await using bob = await NativeClient.create(world, { user: 'bob' })
      expect((await bob.ssh(['-W', `127.0.0.1:${port}`, host], sent)).err).toContain('port forwarding is not allowed by your roles')
      server.close()
      const closed = await freePort()
      expect(await native.ssh(['-W', `127.0.0.1:${closed}`, host])).toMatchObject({
        code: 255,
        err: expect.stringContaining(`127.0.0.1:${closed} cannot be reached from the server`),
      })
      expect(
        (await audited('T3003E'))
          .filter((event) => event['server_hostname'] === host)
          .map(({ user, success }) => `${user} ${String(success)}`)
          .toSorted(),
      ).toEqual(['alice false', 'bob false'])
    })

    test(`keys are forwarded to ${host} only where a role allows it`, async () => {
      const socket = join(native.folder, `keys-${host}`)
      const agent = createServer((connection) => connection.on('error', () => undefined).on('data', () => connection.write(noKeys))).listen(
        socket,
      )
      await once(agent, 'listening')
      const probe = (client: NativeClient): Promise<Ran> =>
        client.ssh(['-A', host, 'if [ -S "$SSH_AUTH_SOCK" ]; then ssh-add -l; fi; echo over'])
      await using refused = await NativeClient.create(world, { user: 'bob', env: { SSH_AUTH_SOCK: socket } })
      const without = await probe(refused)
      expect(without.out.toString()).toBe('over\n')
      await alice.call(updateUser, { body: { name: 'bob', roles: ['with-keys'] } })
      await using bob = await NativeClient.create(world, { user: 'bob', env: { SSH_AUTH_SOCK: socket } })
      expect((await probe(bob)).out.toString()).toBe('The agent has no identities.\nover\n')
      await alice.call(updateUser, { body: { name: 'bob', roles: ['no-copies'] } })
      agent.close()
    })
  }
})

/** An agent's answer to whatever it is asked: a list of no keys. */
const noKeys = Buffer.from([0, 0, 0, 5, 12, 0, 0, 0, 0])
