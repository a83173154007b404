/** Calls that come to the new process and are about what lives in the one of before. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { headlessId } from '@sallyport/protocols/ssh/headless-id.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { signInCommandLine } from '@sallyport/wire/calls/certificates.ts'
import { decideHeadless, readHeadless } from '@sallyport/wire/calls/headless.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiClient } from './api-client.ts'
import { logins, ownLogin, roles } from './people.ts'
import type { Name } from './people.ts'
import { startProxyProcess } from './started-proxy.ts'
import type { StartedProxy } from './started-proxy.ts'
import { TerminalClient } from './terminal-client.ts'
import { downloadFile, uploadFile } from './transfer-client.ts'

const opened = new AsyncDisposableStack()
let proxy: StartedProxy
let alice: ApiClient
let bob: ApiClient
beforeAll(async () => {
  proxy = opened.use(await startProxyProcess({ flags: { secondFactor: 'on' } }))
  alice = await proxy.signIn('alice')
  bob = await proxy.signIn('bob')
})
afterAll(() => opened.disposeAsync())

const addRole = (name: string, allow: object): Promise<unknown> =>
  alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec: { allow } }) } })
const giveRole = (name: Name, role: string): Promise<unknown> =>
  alice.call(updateUser, { body: { name, roles: [...roles[name], role], traits: { logins: [...logins[name]] } } })
const send = (terminal: TerminalClient, type: (typeof frameTypes)['fileTransferRequest' | 'fileTransferDecision'], body: object): void =>
  terminal.socket.send(encodeFrame(type, JSON.stringify(body)))

test('files of a moderated session are copied after a restart, down and up, each approval once', async () => {
  await addRole('guiding', { join_sessions: [{ name: 'g', roles: ['*'], kinds: ['ssh'], modes: ['moderator'] }] })
  await addRole('watched', {
    require_session_join: [{ name: 'eyes', filter: 'contains(user.spec.roles, "guiding")', kinds: ['ssh'], modes: ['moderator'] }],
  })
  await giveRole('alice', 'guiding')
  await giveRole('bob', 'watched')
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-files-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const place = { cluster: proxy.cluster, serverId: proxy.hostId, login: ownLogin }
  const owner = opened.use(await TerminalClient.open(bob, place))
  const { session } = JSON.parse(await owner.frame('s')) as { session: { id: string } }
  const moderator = opened.use(await TerminalClient.open(alice, { cluster: proxy.cluster, sid: session.id, mode: 'moderator' }))
  await owner.see('the session begins')
  await proxy.restart()

  const approved = async (transfer: { download: boolean; location: string; filename: string }) => {
    send(owner, frameTypes.fileTransferRequest, { event: 'file_transfer_request', ...transfer })
    const eventOf = async (terminal: TerminalClient, event: string) => {
      const found = (): Record<string, unknown> | undefined =>
        terminal.frames
          .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>)
          .find((frame) => frame['event'] === event && frame['location'] === transfer.location)
      await expect.poll(found).toBeDefined()
      return found() ?? {}
    }
    const requestId = String((await eventOf(moderator, 'file_transfer_request'))['requestID'])
    send(moderator, frameTypes.fileTransferDecision, { event: 'file_transfer_decision', requestId, approved: true })
    await eventOf(owner, 'file_transfer_request_approve')
    return { moderatedSessionId: session.id, fileTransferRequestId: requestId }
  }
  const down = await approved({ download: true, location: '/etc/hosts', filename: '' })
  const copied = await downloadFile(bob, place, { location: '/etc/hosts', ...down })
  expect(copied.status).toBe(200)
  expect(copied.body).toEqual(await readFile('/etc/hosts'))
  expect(await downloadFile(bob, place, { location: '/etc/hosts', ...down })).toMatchObject({ status: 403 })

  const up = await approved({ download: false, location: folder, filename: 'big' })
  const bytes = Buffer.alloc(3_000_000, 'sallyport')
  expect(await uploadFile(bob, place, { location: folder, filename: 'big', ...up }, bytes)).toMatchObject({ status: 200 })
  expect((await readFile(join(folder, 'big'))).equals(bytes)).toBe(true)
})

test('a command that waits for its approval is found and denied through the new process', async () => {
  const line = formatPublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
  const headless_authentication_id = headlessId(Buffer.from(line))
  const body = {
    user: 'alice',
    password: '',
    headless_id: headless_authentication_id,
    pub_key: Buffer.from(line).toString('base64'),
    ttl: 0,
  }
  const command = new ApiClient(proxy.url).call(signInCommandLine, { body })
  const refused = expect(command).rejects.toThrow('headless authentication failed')
  const params = { headless_authentication_id }
  expect(await alice.call(readHeadless, { params })).toMatchObject({ user: 'alice' })
  await proxy.restart()
  expect(await alice.call(readHeadless, { params })).toMatchObject({ user: 'alice' })
  await alice.call(decideHeadless, { params, body: { action: 'denied' } })
  await refused
})
