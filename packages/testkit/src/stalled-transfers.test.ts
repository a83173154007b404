/** Transfers in which nobody does anything any more: the routes over a real server, with a limit that passes within a test. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { request } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createAccessChecker } from '@sallyport/proxy/core/access/checker.ts'
import { roleKind } from '@sallyport/proxy/core/access/role.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { parseResource } from '@sallyport/proxy/core/resources/resources.ts'
import { transferRoutes } from '@sallyport/proxy/kinds/ssh/transfer/routes.ts'
import { expect, test } from 'vitest'
import { openAreaApi } from './area-api.ts'
import { ownLogin } from './people.ts'
import { transferPath } from './transfer-client.ts'
import { createWorld } from './world.ts'

/** Milliseconds. Longer than a login takes on a machine that does other things as well: that counts too. */
const stallLimit = 4000

test('a download that nobody reads and an upload that nobody sends are given up, with the reason, and nothing is left of them', async () => {
  await using world = await createWorld({ people: [] })
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-stalled-'))
  const { proxy, cluster } = world
  const failures: string[] = []
  const { signal } = new AbortController()
  const refuse = () => Promise.reject(new Error('no key is asked for'))
  const routes = transferRoutes({
    cluster: { name: cluster, publicUrl: proxy.publicUrl, version: '0' },
    settings: { authPreference: { require_session_mfa: false } as never },
    inventory: proxy.inventory,
    dialer: proxy.dialer,
    authorities: proxy.authorities,
    locks: { watch: () => ({ [Symbol.dispose]: () => undefined }) },
    factors: { key: refuse },
    audit: {
      emit(code, fields) {
        if (code === 'T3004E' || code === 'T3005E') failures.push(`${code} ${String(fields['exitError'])}`)
        return proxy.audit.emit(code, fields)
      },
    },
    approvals: { isNeeded: () => false, take: () => signal },
    clock: Date,
    log: createLog('silent'),
    stallLimit,
  })
  await using api = await openAreaApi(routes)
  const origin = await api.listen()
  const role = parseResource(roleKind, { metadata: { name: 'copy' }, spec: { allow: { logins: [ownLogin], node_labels: { '*': '*' } } } })
  const access = createAccessChecker({ username: 'bob', roles: [role], traits: {} })
  // Known from now on.
  const elsewhere = transferPath({ cluster: 'elsewhere', serverId: world.agentId, login: ownLogin }, { location: '/x' })
  await api.get(
    { username: 'bob', roles: ['copy'], traits: {}, access, sessionId: '0'.repeat(64), sessionExpires: Infinity, signal },
    elsewhere,
  )
  const place = { cluster, serverId: world.agentId, login: ownLogin }
  const slowly = (method: 'GET' | 'POST', path: string, length?: number): ClientRequest =>
    request(origin + path, { method, headers: { 'x-test-caller': 'bob', ...(length !== undefined && { 'content-length': length }) } })

  const big = join(folder, 'big')
  const file = await open(big, 'w')
  await file.truncate(200_000_000)
  await file.close()
  const down = slowly('GET', transferPath(place, { location: big })).end()
  const [answer] = (await once(down, 'response')) as [IncomingMessage]
  // That it breaks off is told to those alone who listen when it happens.
  const cut = expect(once(answer, 'end')).rejects.toThrow('aborted')
  const reason = 'the transfer was given up because nothing moved for too long; try again'
  await expect.poll(() => failures).toEqual([`T3004E ${reason}`])
  answer.resume()
  await cut

  const up = slowly('POST', transferPath(place, { location: `${folder}/`, filename: 'half' }), 1_000_000)
  up.write(Buffer.alloc(100_000))
  const [refusal] = (await once(up, 'response')) as [IncomingMessage]
  expect(await text(refusal)).toContain(reason)
  expect(failures).toEqual([`T3004E ${reason}`, `T3005E ${reason}`])
  await expect.poll(() => existsSync(join(folder, 'half'))).toBe(false)
  await rm(folder, { recursive: true })
})
