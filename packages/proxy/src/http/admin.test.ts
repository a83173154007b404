import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { expect, test } from 'vitest'
import { claimAdminSocket } from './admin.ts'

async function world() {
  await using opened = new AsyncDisposableStack()
  const api = opened.use(await openProxyApi())
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-admin-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const path = join(folder, 'admin.sock')
  const socket = opened.use(await claimAdminSocket(path))
  await socket.serve(api.context)
  const disposables = opened.move()
  return {
    api,
    path,
    ask: (method: string, url: string, body?: unknown) => ask(path, method, url, body),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

function ask(socketPath: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath, method, path, headers: body === undefined ? {} : { 'content-type': 'application/json' } },
      (answer) => {
        text(answer).then((content) => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(content) as unknown }), reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

test('users and resets answer links; unknown roles and users are refused', async () => {
  await using it = await world()
  const added = await it.ask('POST', '/users', { name: 'zoe', roles: ['access'], logins: ['root'] })
  expect(added).toMatchObject({
    status: 200,
    body: { link: expect.stringMatching(/^http:\/\/localhost:3080\/web\/invite\/[0-9a-f]{32}$/) },
  })
  expect(await it.ask('POST', '/users', { name: 'zoe', roles: ['access'], logins: [] })).toMatchObject({
    status: 409,
    body: { error: { message: 'user "zoe" already registered' } },
  })
  expect(await it.ask('POST', '/users', { name: 'yan', roles: ['nothing'], logins: [] })).toMatchObject({ status: 404 })
  expect(await it.ask('POST', '/users', { name: '../x', roles: [] })).toMatchObject({ status: 400 })
  expect(await it.ask('POST', '/users/reset', { name: 'zoe' })).toMatchObject({ status: 200 })
  expect(await it.ask('POST', '/users/reset', { name: 'nobody' })).toMatchObject({ status: 404 })
  expect(await it.api.events('T1002I')).toMatchObject([{ name: 'zoe', roles: ['access'] }])
})
test('join tokens are made, listed under a masked name, removed and audited', async () => {
  await using it = await world()
  const made = adminCalls.addToken.answer.parse((await it.ask('POST', '/tokens', { roles: ['node'], ttl: 600 })).body)
  expect(made.token).toMatch(/^[0-9a-f]{32}$/)
  expect(made).toMatchObject({ roles: ['Node'], publicUrl: 'http://localhost:3080', pin: '' })
  expect(await it.ask('POST', '/tokens', { roles: ['emperor'], ttl: 600 })).toMatchObject({ status: 400 })
  const events = await it.api.events('TJT00I')
  expect(events).toMatchObject([{ roles: ['Node'], join_method: 'token' }])
  expect(JSON.stringify(events)).not.toContain(made.token)
  const name = '*'.repeat(24) + made.token.slice(24)
  const listed = { name, method: 'token', roles: ['Node'], expires: made.expires, once: false }
  expect((await it.ask('GET', '/tokens')).body).toEqual([listed])
  expect(await it.ask('POST', '/resources/remove', { kind: 'tokens', name })).toMatchObject({ status: 200 })
  expect((await it.ask('GET', '/tokens')).body).toEqual([])
})
test('status and the audit chain', async () => {
  await using it = await world()
  expect(adminCalls.status.answer.parse((await it.ask('GET', '/status')).body)).toMatchObject({ clusterName: 'sallyport', nodes: 0 })
  expect((await it.ask('GET', '/audit/verify')).body).toMatchObject({ ok: true })
})
test('only the owner may open the socket; a second proxy is told that one is running; a file left behind is replaced', async () => {
  let path = ''
  {
    await using it = await world()
    path = it.path
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await expect(claimAdminSocket(path)).rejects.toMatchObject({ problem: 'already-running' })
  }
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-stale-'))
  const stale = join(folder, 'admin.sock')
  // A server that closes removes its file; handing the descriptor over without closing is what a kill leaves.
  const server = createServer().listen(stale)
  server.unref()
  await expect(claimAdminSocket(`${folder}/${'x'.repeat(120)}`)).rejects.toMatchObject({ problem: 'data-dir' })
  server.close()
  await rm(folder, { recursive: true })
})
