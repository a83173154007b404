/** A real PostgreSQL whose document an administrator writes, reached through the agent whose token covers its labels. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDatabase, databaseServices } from '@sallyport/wire/calls/databases.ts'
import { test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { create as createToken } from '@sallyport/wire/calls/tokens.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { joinHost } from './targets/agent.ts'
import { addPostgres, allowDatabases } from './targets/database.ts'
import type { Postgres } from './targets/postgres.ts'
import { whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

describe.skipIf(whyNoProgram('initdb'))('agents that serve databases by labels', () => {
  let world: World
  let server: Postgres
  let alice: ApiClient
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = opened.use(await createWorld({ people: ['alice'] }))
    alice = await world.signIn('alice')
    server = opened.use(await addPostgres(world, alice))
    await allowDatabases(alice, 'alice', { users: ['writer'], names: ['*'] })
    const near = { name: 'near', protocol: 'postgres', uri: `127.0.0.1:${server.port}`, labels: [{ name: 'env', value: 'near' }] }
    await alice.call(createDatabase, { params: { clusterId: world.cluster }, body: near })
  })
  afterAll(() => opened.disposeAsync())

  const params = () => ({ clusterId: world.cluster })
  const tryOut = async (name: string) => {
    const body = { resource_kind: 'db', resource_name: name, database_user: 'writer', database_name: 'orders' }
    const { success, traces } = await alice.call(testConnection, { params: params(), body })
    return success ? 'success' : traces?.at(-1)
  }
  const tokenFor = (matchers: Record<string, string[]>) =>
    alice.call(createToken, { body: { roles: ['Db'], suggested_agent_matcher_labels: matchers } })

  test('R7-106: what the labels of its token cover goes through the agent and no other way; the rest stays as it was', async () => {
    expect(await tryOut('near')).toBe('success')
    const { id, suggestedLabels } = await tokenFor({ env: ['near', 'nearer'] })
    const args = ['--databases', 'env=near', '--databases', 'env=nearer']
    await using host = await joinHost({ proxy: world.url, token: id, hostname: 'db-host', args })
    expect(await tryOut('near')).toMatchObject({
      traceType: 'CONNECTIVITY',
      error: expect.stringContaining('no agent that serves this database'),
    })
    expect(await tryOut('orders')).toBe('success')

    const agent = host.start()
    const search = `${suggestedLabels[0]?.name} ${suggestedLabels[0]?.value}`
    const services = async () => (await alice.call(databaseServices, { params: params(), query: { search } })).items
    await expect.poll(services).toEqual([{ name: host.hostId, resource_matchers: [{ labels: { env: ['near', 'nearer'] } }] }])
    expect(await tryOut('near')).toBe('success')
    await agent.stop()
    await expect.poll(() => tryOut('near')).toMatchObject({ traceType: 'CONNECTIVITY' })

    // The administrator of the machine has the last word.
    const file = join(host.dataDir, 'agent.json')
    const { databases: _, ...rest } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    await writeFile(file, JSON.stringify(rest))
    await host.start().logged('connected')
    await expect.poll(() => tryOut('near')).toMatchObject({ error: expect.stringContaining('does not forward to that address') })
  })

  test('what an agent says without a token for it counts for nothing', async () => {
    const { id } = await alice.call(createToken, { body: { roles: ['Db'] } })
    await using host = await joinHost({ proxy: world.url, token: id, hostname: 'bold-host', args: ['--databases', '*=*'] })
    await host.start().logged('connected')
    const { items } = await alice.call(databaseServices, { params: params(), query: {} })
    expect(items.map(({ name }) => name)).not.toContain(host.hostId)
    await host[Symbol.asyncDispose]()
    expect(await tryOut('orders')).toBe('success')
  })
})
