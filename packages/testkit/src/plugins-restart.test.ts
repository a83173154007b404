/** What plugins have to tell when a proxy ends in between, and when several proxies share one store. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configOf } from '@sallyport/proxy/config.ts'
import { createContext } from '@sallyport/proxy/context.ts'
import type { Context } from '@sallyport/proxy/context.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { createMessages } from '@sallyport/proxy/core/plugins/messages.ts'
import { parseDocument } from '@sallyport/proxy/core/resources/documents.ts'
import { siteAt } from '@sallyport/proxy/core/site.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startPostgres } from './targets/postgres.ts'
import { whyNoProgram } from './targets/programs.ts'
import { startSlack } from './targets/slack.ts'
import type { SlackStandIn } from './targets/slack.ts'

let slack: SlackStandIn
let opened: AsyncDisposableStack
let offset = 0
const clock = { now: () => Date.now() + offset }
beforeEach(async () => {
  opened = new AsyncDisposableStack()
  slack = opened.use(await startSlack())
  slack.channels.set('access', true)
  offset = 0
})
afterEach(() => opened.disposeAsync())

async function directory(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-plugins-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}
const openProxy = (dataDir: string, databaseUrl?: string): Promise<Context> =>
  createContext({
    config: configOf({ logLevel: 'silent', slackApi: slack.api, dataDir, databaseUrl }),
    clock,
    log: createLog('silent'),
    site: siteAt('http://localhost:3080'),
  })

async function prepare({ roles, users, managedKinds }: Context): Promise<void> {
  await roles.create({ metadata: { name: 'asks' }, spec: { allow: { request: { roles: ['access'] } } } })
  await roles.create({ metadata: { name: 'decides' }, spec: { allow: { review_requests: { roles: ['access'] } } } })
  await users.create({ metadata: { name: 'dan' }, spec: { roles: ['asks'] } })
  await users.create({ metadata: { name: 'carol' }, spec: { roles: ['decides'] } })
  const spec = { type: 'slack', token: slack.token, recipients: ['#access'] }
  const document = parseDocument(JSON.stringify({ kind: 'plugin', version: 'v1', metadata: { name: 'chat' }, spec }))
  await managedKinds.find(({ kind }) => kind === 'plugin')?.apply(document, { force: false, by: 'test' })
}
const ask = async ({ requests }: Context): Promise<string> => {
  const wish = { reason: 'broken', roles: ['access'], resources: [], suggestedReviewers: [], maxDuration: '', pendingUntil: '' }
  return (await requests.create('dan', wish)).metadata.name
}
const approve = ({ requests }: Context, id: string) => requests.review(id, 'carol', { state: 'APPROVED', reason: '', roles: [] })
const edits = (): number[] => slack.posts.map((post) => post.edits)

test('what could not be told before a restart is told after it, once, and follows the request', async () => {
  const dataDir = await directory()
  let id: string
  {
    await using before = await openProxy(dataDir)
    await prepare(before)
    before.lead()
    slack.isDown = true
    id = await ask(before)
    await before.courier.round()
  }
  slack.isDown = false
  offset += 60_000
  await using after = await openProxy(dataDir)
  after.lead()
  await expect.poll(edits).toEqual([0])
  await approve(after, id)
  await expect.poll(edits).toEqual([1])
  await after.courier.round()
  expect(edits()).toEqual([1])
})

test('a proxy that was killed while it told somebody keeps nobody from telling them later', async () => {
  const dataDir = await directory()
  {
    await using killed = await openProxy(dataDir)
    await prepare(killed)
    slack.isDown = true
    await ask(killed)
    await killed.courier.round()
    const messages = createMessages({ db: killed.db, clock })
    const [message] = await messages.open('chat')
    expect(message && (await messages.claim(message))).toBe(true)
  }
  slack.isDown = false
  offset += 60_000
  await using after = await openProxy(dataDir)
  await after.courier.round()
  expect(edits()).toEqual([])
  offset += 60_000
  await after.courier.round()
  expect(edits()).toEqual([0])
})

describe.skipIf(whyNoProgram('initdb'))('two proxies on one PostgreSQL', () => {
  test('each message goes out once, whichever proxy sends it', async () => {
    const postgres = opened.use(await startPostgres())
    const url = await postgres.createDatabase()
    const [here, there] = [await directory(), await directory()]
    const first = opened.use(await openProxy(here, url))
    // Proxies of one cluster have the same keys.
    await cp(join(here, 'keys'), join(there, 'keys'), { recursive: true })
    const second = opened.use(await openProxy(there, url))
    await prepare(first)
    first.lead()
    second.lead()
    const ids = await Promise.all([first, second, first, second].map(ask))
    await expect.poll(() => slack.posts.length).toBe(4)
    await Promise.all(ids.map((id, index) => approve(index % 2 === 0 ? second : first, id)))
    await expect.poll(() => edits()).toEqual([1, 1, 1, 1])
    await Promise.all([first.courier.round(), second.courier.round()])
    expect(edits()).toEqual([1, 1, 1, 1])
  })
})
