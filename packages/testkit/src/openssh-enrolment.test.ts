/** A machine with OpenSSH registers itself with the script of the proxy, on a real sshd. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { parsePublicKey, formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { callPath } from '@sallyport/wire/call.ts'
import { enrollOpenSsh, installOpenSsh } from '@sallyport/wire/calls/openssh.ts'
import { test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { nodes as listNodes } from '@sallyport/wire/calls/nodes.ts'
import { create as createToken } from '@sallyport/wire/calls/tokens.ts'
import { resourceIdLabel } from '@sallyport/wire/limits.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { startOwnSshd } from './targets/own-sshd.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice'] })
  alice = await world.signIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())

const cluster = () => ({ clusterId: world.cluster })
const scriptUrl = (token: string): string => world.url + callPath(installOpenSsh.path, { token })
const newToken = (roles = ['Node']) => alice.call(createToken, { body: { roles } })
const fetchScript = async (token: string) => {
  const answer = await fetch(scriptUrl(token))
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    caching: answer.headers.get('cache-control'),
    body: await answer.text(),
  }
}
/** As it is shown to people, with options for a server that is not the system's. */
async function run(token: string, options: readonly string[]): Promise<{ code: number; out: string }> {
  const child = spawn('bash', ['-c', (await fetchScript(token)).body, 'install-openssh', ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number]>])
  return { code, out: out + complaint }
}
const listed = async (search: string) => (await alice.call(listNodes, { params: cluster(), query: { search } })).items
const works = async (name: string) =>
  alice.call(testConnection, {
    params: cluster(),
    body: { resource_kind: 'node', resource_name: name, ssh_principal: ownLogin },
  })
async function audited(code: string) {
  const { events } = await alice.call(searchEvents, { params: cluster(), query: { limit: 1000, order: 'asc' } })
  return events.filter((event) => event.code === code)
}

describe.skipIf(whyNoProgram('sshd') ?? spawnSync('curl', ['--version']).error)('the script', () => {
  for (const keyType of ['ed25519', 'ecdsa', 'rsa'] as const)
    test(`a host with an ${keyType} key joins, is reached with its login, and leaves without a trace`, async () => {
      await using server = await startOwnSshd({ keyType })
      const before = await readFile(server.config, 'utf8')
      const token = await newToken()
      const hostname = `enrolled-${keyType}`
      const outcome = await run(token.id, [...server.options, '--hostname', hostname, '--labels', 'env=test,team=a b'])
      expect(outcome).toMatchObject({ code: 0, out: expect.stringContaining(`${hostname} is registered with ${world.cluster}`) as string })
      const resourceId = token.suggestedLabels.find(({ name }) => name === resourceIdLabel)?.value ?? ''
      expect(await listed(`${resourceIdLabel} ${resourceId}`)).toMatchObject([
        {
          hostname,
          addr: `127.0.0.1:${server.port}`,
          subKind: 'openssh',
          tags: [
            { name: 'env', value: 'test' },
            { name: 'team', value: 'a b' },
          ],
        },
      ])
      expect(await works(hostname)).toMatchObject({ success: true })
      expect(await audited('TJ002I')).toEqual(
        expect.arrayContaining([expect.objectContaining({ node_name: hostname, role: 'Node', method: 'token' })]),
      )
      // Of a type of key that has certificates, the host shows one.
      expect((await readFile(server.config, 'utf8')).includes('HostCertificate ')).toBe(keyType !== 'rsa')
      // What the administrator wrote is still there, and where it was.
      expect((await readFile(server.config, 'utf8')).endsWith(before)).toBe(true)

      // Again: the same server.
      const [first] = await listed(hostname)
      expect(await run(token.id, [...server.options, '--hostname', hostname])).toMatchObject({ code: 0 })
      expect(await listed(hostname)).toMatchObject([{ id: first?.id, tags: [{ name: 'env' }, { name: 'team' }] }])

      const kept = join(server.folder, 'sallyport-openssh.sh')
      expect(await readFile(kept, 'utf8')).not.toContain(token.id)
      expect(spawnSync('bash', [kept, ...server.options, '--uninstall'], { encoding: 'utf8' })).toMatchObject({ status: 0 })
      expect(await readFile(server.config, 'utf8')).toBe(before)
      expect((await readdir(server.folder)).filter((name) => name.startsWith('sallyport'))).toEqual([])
      expect(await works(hostname)).toMatchObject({ success: false })
      await ask(world.dataDir, adminCalls.removeResource, { kind: 'node', name: first?.id ?? '' })
    })

  test('a host that trusts another authority and has a certificate of its own keeps both', async () => {
    await using server = await startOwnSshd({ keyType: 'ed25519' })
    const otherCa = join(server.folder, 'other-ca.pub')
    const other = formatPublicKey(parsePublicKey(server.publicKey), 'other')
    await writeFile(otherCa, `${other}\n`)
    const authority = join(server.folder, 'authority')
    const sign = ['-q', '-s', authority, '-I', 'own', '-h', '-n', 'own', join(server.folder, 'host.pub')]
    for (const options of [['-q', '-t', 'ed25519', '-N', '', '-f', authority], sign])
      expect(spawnSync(requireProgram('ssh-keygen'), options, { encoding: 'utf8' })).toMatchObject({ status: 0 })
    await server.append(`TrustedUserCAKeys ${otherCa}\nHostCertificate ${join(server.folder, 'host-cert.pub')}\n`)
    const { id } = await newToken()
    expect(await run(id, [...server.options, '--hostname', 'two-authorities'])).toMatchObject({ code: 0 })
    expect(await readFile(otherCa, 'utf8')).toBe(`${other}\n${world.proxy.authorities.userCa.publicLine}\n`)
    expect(await readFile(server.config, 'utf8')).not.toContain('sallyport_host-cert')
    expect(await works('two-authorities')).toMatchObject({ success: true })
    expect(await run(id, [...server.options, '--uninstall'])).toMatchObject({ code: 0 })
    expect(await readFile(otherCa, 'utf8')).toBe(`${other}\n`)
  })

  test('what would lock somebody out, or not work, is refused, and nothing is changed', async () => {
    await using server = await startOwnSshd({ keyType: 'ed25519' })
    const { id } = await newToken()
    const before = await readFile(server.config, 'utf8')
    const attempt = async (more: string, options: readonly string[], message: string) => {
      await writeFile(server.config, before + more)
      expect(await run(id, [...server.options, '--hostname', 'refused', ...options])).toMatchObject({
        code: 1,
        out: expect.stringContaining(message) as string,
      })
      expect(await readFile(server.config, 'utf8')).toBe(before + more)
      expect((await readdir(server.folder)).filter((name) => name.startsWith('sallyport'))).toEqual([])
    }
    await attempt(`AuthorizedPrincipalsFile /etc/ssh/principals/%u\n`, [], 'authorizedprincipalsfile is set')
    await attempt('PubkeyAuthentication no\n', [], 'PubkeyAuthentication is off')
    await attempt('NoSuchSetting yes\n', [], 'sshd does not accept')
    await attempt('', ['--hostname', 'no name'], 'is no host name')
    await attempt('', ['--address', '169.254.169.254'], 'is no address of a machine')
    await attempt('', ['--address', 'db.example.com'], 'is no IP address')
    await attempt('', ['--labels', 'teleport.internal/resource-id=x'], "is the cluster's own")
    await attempt('', ['--labels', 'x"y=z'], 'quotes and backslashes are not allowed')
    await attempt('', ['--hostname', 'this-machine'], 'another server is named this-machine')
    await attempt('', ['--hostname', 'This-Machine'], 'another server is named This-Machine')
    await attempt('', ['--unknown'], 'unknown option')
    await attempt('', ['--reload', 'false'], 'sshd could not be reloaded')
    const [left] = await listed('refused')
    expect(left).toBeDefined()
  })
})

test('a token that is not good gets a script that says so and fails, with 200', async () => {
  const { id: forApps } = await newToken(['App'])
  for (const token of ['0'.repeat(32), 'no-such-token', `'; touch /tmp/x; '`, '../../etc/passwd', forApps]) {
    const { status, type, body } = await fetchScript(token)
    expect([status, type]).toEqual([200, 'text/x-shellscript; charset=utf-8'])
    expect(body).not.toContain(token)
    expect(spawnSync('bash', ['-c', body], { encoding: 'utf8' })).toMatchObject({
      status: 1,
      stderr: 'error, token may be expired or invalid\n',
    })
  }
  const good = await fetchScript((await newToken()).id)
  expect(good).toMatchObject({ status: 200, caching: expect.stringContaining('no-') as string })
  // Cut off anywhere, it does nothing.
  const cut = good.body.slice(0, good.body.lastIndexOf('main'))
  expect(spawnSync('bash', ['-c', cut, 'install-openssh', '--help'], { encoding: 'utf8' }).stdout).toBe('')
  expect(spawnSync('bash', ['-c', good.body, 'install-openssh', '--help'], { encoding: 'utf8' }).stdout).toContain('--uninstall')
})

test('without a good token nobody registers anything; each attempt is audited with its reason', async () => {
  const body = { hostname: 'web', port: 22, public_key: 'ssh-ed25519 AAAA', token: 'f'.repeat(32) }
  await expect(alice.call(enrollOpenSsh, { body })).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('join token') as string,
  })
  expect((await audited('TJ002E')).at(-1)).toMatchObject({
    node_name: 'web',
    role: 'Node',
    error: expect.stringContaining('unknown') as string,
  })
  const { id: token } = await newToken()
  await expect(alice.call(enrollOpenSsh, { body: { ...body, token } })).rejects.toMatchObject({ status: 400 })
  await expect(alice.call(enrollOpenSsh, { body: { ...body, token, port: 0 } })).rejects.toMatchObject({ status: 400 })
})
