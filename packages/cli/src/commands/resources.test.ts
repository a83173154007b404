/** Resources over the control socket of a real proxy: export, import, users. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { setUpWithApp, setUpWithKey, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'
import { partsOf } from './resources.ts'
import { claimAdminSocket } from '@sallyport/proxy/http/admin.ts'

type Settings = Parameters<typeof openProxyApi>[0]

async function world(settings: Settings = {}) {
  await using opened = new AsyncDisposableStack()
  const api = opened.use(await openProxyApi(settings))
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-admin-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const socket = opened.use(await claimAdminSocket(join(folder, 'admin.sock')))
  await socket.serve(api.context)
  const disposables = opened.move()
  return {
    api,
    folder,
    async export(kind: string, withSecrets = false): Promise<string> {
      const { documents } = await ask(folder, adminCalls.readResources, { kind, withSecrets })
      return documents.map(({ content }) => content).join('---\n')
    },
    save: (text: string, force = false) => ask(folder, adminCalls.saveResources, { parts: [text], force }),
    remove: (kind: string, name: string) => ask(folder, adminCalls.removeResource, { kind, name }),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

const role = (name: string, more = '') =>
  `kind: role\nversion: v7\nmetadata:\n  name: ${name}\nspec:\n  allow:\n    logins: [root]\n${more}`

test('what one cluster exports another one takes, and exports again the same', async () => {
  await using from = await world()
  await setUpWithApp(from.api, 'alice')
  await from.save(role('temp'))
  await from.api.context.accounts.add(
    {
      metadata: { name: 'octo@example.com', expires: '2099-01-02T03:04:05.000Z' },
      spec: { roles: ['temp'], traits: { team: ['red'] }, created_by: { connector: { type: 'github', id: 'gh', identity: 'octo' } } },
    },
    'test',
  )
  const exported = await from.export('all')
  expect(exported).not.toContain('local_auth')
  await using to = await world()
  await to.save(exported, true)
  expect(await to.export('all')).toBe(exported)
})
test('a connector comes with its secret only when secrets are asked for; a mask keeps the one that is stored', async () => {
  await using from = await world()
  const connector = (secret: string) =>
    `kind: github\nversion: v3\nmetadata: {name: gh}\nspec:\n  client_id: abc\n  client_secret: ${secret}\n  redirect_url: https://proxy.example.com/v1/webapi/github/callback\n  teams_to_roles: [{organization: o, team: t, roles: [access]}]\n`
  await from.save(connector('topsecret'))
  const masked = await from.export('github')
  expect(masked).not.toContain('topsecret')
  await from.save(masked, true)
  const exported = await from.export('all', true)
  expect(exported).toContain('client_secret: topsecret')
  await using to = await world()
  await expect(to.save(masked)).rejects.toThrow('github/gh: spec.client_secret: give the secret itself')
  await to.save(exported, true)
  expect(await to.export('all', true)).toBe(exported)
  await to.remove('github', 'gh')
  expect(await to.api.events('T8001I')).toMatchObject([{ name: 'gh' }])
  expect(await from.api.events('T8000I')).toHaveLength(2)
})
test('with secrets people sign in to the restored cluster as before; without, they cannot', async () => {
  await using from = await world()
  const alice = await setUpWithApp(from.api, 'alice')
  await setUpWithKey(from.api, 'bob', 'passwordless')
  const exported = await from.export('all', true)
  expect(exported).toContain('$argon2id$')
  await using to = await world()
  // The same authenticator app shows the codes of the same time.
  to.api.clock.advance(from.api.clock.now() - to.api.clock.now() + 60_000)
  await to.save(exported, true)
  await expect(signInWithApp(to.api, alice)).resolves.toBeDefined()
  expect(await to.api.context.devices.of('bob')).toMatchObject([{ type: 'WebAuthn', resident: 1 }])
  await using bare = await world()
  await bare.save(await from.export('all'), true)
  await expect(signInWithApp(bare.api, alice)).rejects.toThrow('invalid credentials')
})
test('what exists is replaced only with force; every change is audited', async () => {
  await using it = await world()
  expect(await it.save(role('temp'))).toEqual({ saved: [{ kind: 'role', name: 'temp', outcome: 'created' }] })
  await expect(it.save(role('temp'))).rejects.toThrow('role/temp: role "temp" exists already; use --force to replace it')
  expect(await it.save(role('temp', '    node_labels: {env: dev}\n'), true)).toEqual({
    saved: [{ kind: 'role', name: 'temp', outcome: 'replaced' }],
  })
  expect((await it.api.context.roles.require('temp')).spec.allow.node_labels).toEqual({ env: ['dev'] })
  expect(await it.remove('roles', 'temp')).toEqual({ kind: 'role', name: 'temp' })
  await expect(it.remove('role', 'temp')).rejects.toThrow('resource with name "temp" does not exist')
  expect(await it.api.events('T9000I')).toHaveLength(2)
  expect(await it.api.events('T9001I')).toMatchObject([{ name: 'temp', user: expect.any(String) }])
})
test('roles are saved before the users who hold them; a mistake names its document', async () => {
  await using it = await world()
  const user = 'kind: user\nversion: v2\nmetadata: {name: zoe}\nspec: {roles: [temp]}\n'
  expect((await it.save(`${user}---\n${role('temp')}`)).saved.map(({ kind }) => kind)).toEqual(['role', 'user'])
  await expect(it.remove('role', 'temp')).rejects.toThrow('role "temp" is still in use: take it from "zoe" first')
  await expect(it.save('kind: user\nversion: v2\nmetadata: {name: yan}\nspec: {roles: [nothing]}\n')).rejects.toThrow(
    'user/yan: role "nothing" does not exist',
  )
  await expect(it.save('kind: dragon\nversion: v1\nmetadata: {name: x}\nspec: {}\n')).rejects.toThrow('there is no kind "dragon" here')
  await expect(it.save('kind: role\nmetadata: [\n')).rejects.toThrow('line 3')
  await expect(it.save(`${role('one')}---\n${role('two', '    colour: red\n')}`)).rejects.toThrow(
    'role/two: unknown field "spec.allow.colour" (saved before it: 1)',
  )
  await expect(ask(it.folder, adminCalls.readResources, { kind: 'user', name: 'nobody', withSecrets: false })).rejects.toThrow(
    'user "nobody" is not found',
  )
})
test('a user as other tools write it is taken; its foreign password is refused in words', async () => {
  await using it = await world()
  const foreign = (more = '') => `
kind: user
version: v2
metadata: {name: ann, id: 1700000000}
spec:
  created_by: {time: "2024-01-02T03:04:05.678Z", user: {name: builtin-Admin}}
  expires: "0001-01-01T00:00:00Z"
  roles: [access]
  status: {is_locked: false, lock_expires: "0001-01-01T00:00:00Z"}
  traits: {logins: [root], kubernetes_groups: null}
${more}`
  await it.save(foreign())
  expect((await it.api.context.users.require('ann')).spec).toEqual({
    roles: ['access'],
    traits: { logins: ['root'], kubernetes_groups: [] },
    created_by: { time: '2024-01-02T03:04:05.678Z', user: { name: 'builtin-Admin' } },
  })
  await expect(it.save(foreign('  local_auth: {password_hash: JDJh, mfa: []}\n'), true)).rejects.toThrow(
    'spec.local_auth holds no password',
  )
})
test('nobody takes the last administrator away: not by a user, not by a role, not on any path', async () => {
  await using it = await world()
  const alice = await signedIn(it.api, 'alice')
  const refusal = 'this would leave nobody who can administer users and roles: "alice" is the last'
  await expect(it.remove('user', 'alice')).rejects.toThrow(refusal)
  await expect(it.remove('role', 'editor')).rejects.toThrow('role "editor" is still in use: take it from "alice" first')
  await expect(ask(it.folder, adminCalls.updateUser, { name: 'alice', roles: ['access'] })).rejects.toThrow(refusal)
  await expect(it.save(role('editor'), true)).rejects.toThrow(refusal)
  expect(await alice.send('PUT', '/v1/webapi/users', { name: 'alice', roles: ['access'] })).toMatchObject({
    status: 400,
    message: expect.stringContaining(refusal),
  })
  await it.api.context.accounts.create({ name: 'eve', roles: ['editor'], logins: [] }, 'test')
  await expect(it.remove('user', 'alice')).resolves.toEqual({ kind: 'user', name: 'alice' })
})
test('settings are exported as far as somebody set them; what is dangerous wants force; removing them restores the defaults', async () => {
  await using it = await world()
  await setUpWithApp(it.api, 'alice')
  expect(await it.export('all')).not.toContain('kind: cluster_auth_preference')
  const motd = (more = '') =>
    `kind: cluster_auth_preference\nversion: v2\nmetadata: {name: cluster-auth-preference}\nspec:\n  message_of_the_day: Be kind\n${more}`
  await it.save(motd())
  expect(it.api.context.settings.authPreference.message_of_the_day).toBe('Be kind')
  expect(await it.export('cap')).toContain('spec:\n  message_of_the_day: Be kind\n')
  await expect(it.save(motd('  colour: red\n'), true)).rejects.toThrow('colour')
  await expect(it.save(motd())).rejects.toThrow('use --force to replace it')
  await it.remove('cap', 'cluster-auth-preference')
  await expect(it.save(motd('  second_factor: "off"\n'))).rejects.toThrow('A password alone would be enough')
  await it.save(motd('  second_factor: "off"\n'), true)
  expect(it.api.context.settings.authPreference.second_factor).toBe('off')
  expect(await it.api.events('TCAUTH001I')).toHaveLength(3)
  await using to = await world()
  await to.save(await it.export('all', true), true)
  expect(await to.export('all', true)).toBe(await it.export('all', true))
})
test('users are listed and changed', async () => {
  await using it = await world()
  await it.api.invite('alice')
  await it.api.invite('bob')
  await ask(it.folder, adminCalls.updateUser, { name: 'bob', roles: ['auditor'], logins: [] })
  expect(await ask(it.folder, adminCalls.listUsers, undefined)).toMatchObject([
    { name: 'alice', state: 'invited' },
    { name: 'bob', roles: ['auditor'], authType: 'local' },
  ])
})
test('a reset from the machine itself lifts a lock, ends sessions, and needs no second factor, whatever the cluster asks for', async () => {
  await using it = await world({ secondFactor: 'webauthn' })
  await setUpWithKey(it.api, 'alice')
  for (let attempt = 0; attempt < 5; attempt += 1)
    await it.api.browser().trustPage().send('POST', '/v1/webapi/mfa/login/begin', { user: 'alice', pass: 'wrong' })
  expect(await it.api.context.lockout.isLocked('alice')).toBe(true)
  expect(await ask(it.folder, adminCalls.resetUser, { name: 'alice' })).toMatchObject({ link: expect.stringContaining('/web/invite/') })
  expect(await it.api.context.lockout.isLocked('alice')).toBe(false)
  expect(await it.api.context.signIns.of('alice')).toEqual([])
})
test('a file is sent in parts that never cut a document', () => {
  const documents = Array.from({ length: 300 }, (_, index) => `---\n# ${index}\ntext: |\n  --- no document\n${'x: y\n'.repeat(300)}`)
  const parts = partsOf(documents.join(''))
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.join('')).toBe(documents.join(''))
  expect(parts.every((part) => part.startsWith('---\n# ') && part.length <= 128 * 1024)).toBe(true)
  expect(partsOf('\n \n')).toEqual([])
})
