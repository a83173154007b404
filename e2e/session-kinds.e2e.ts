/** One running session of every kind, each with its real counterpart, in the list of active sessions. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addApp, AppBrowser } from '@sallyport/testkit/app-browser.ts'
import { DesktopClient } from '@sallyport/testkit/desktop-client.ts'
import { saveDocuments } from '@sallyport/testkit/kube-client.ts'
import { SqlClient } from '@sallyport/testkit/sql-client.ts'
import { addPostgres } from '@sallyport/testkit/targets/database.ts'
import { startKubeApi } from '@sallyport/testkit/targets/kube-api.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startWebApp } from '@sallyport/testkit/targets/web-app.ts'
import { startXrdp, whyNoXrdp } from '@sallyport/testkit/targets/xrdp.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('initdb') ?? whyNoXrdp())('sessions of every kind', () => {
  let world: World
  let browser: Browser
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = opened.use(await createWorld({ people: ['alice'] }))
    const [api, wiki, xrdp] = await Promise.all([startKubeApi(), startWebApp(), startXrdp()])
    for (const target of [api, wiki, xrdp]) opened.use(target)
    const all = { '*': '*' }
    const allow = {
      node_labels: all,
      logins: ['root'],
      app_labels: all,
      db_labels: all,
      db_names: ['orders'],
      db_users: ['reader'],
      kubernetes_labels: all,
      kubernetes_groups: ['developers'],
      kubernetes_resources: [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }],
      windows_desktop_labels: all,
      windows_desktop_logins: ['lucy'],
    }
    await saveDocuments(
      world,
      { kind: 'role', version: 'v7', metadata: { name: 'everything' }, spec: { allow } },
      { kind: 'user', version: 'v2', metadata: { name: 'alice' }, spec: { roles: ['editor', 'auditor', 'everything'], traits: {} } },
      { kind: 'kube_cluster', version: 'v3', metadata: { name: 'dev' }, spec: { kubeconfig: api.kubeconfig } },
      {
        kind: 'windows_desktop',
        version: 'v3',
        metadata: { name: 'office' },
        spec: { addr: `127.0.0.1:${xrdp.port}`, logins: [{ name: 'lucy', password: xrdp.password }] },
      },
    )
    await addApp(world, 'wiki', { uri: wiki.uri, labels: {} })
    const alice = await clientOf(world, 'alice')
    opened.use(await addPostgres(world, alice))
    const { cluster } = world
    opened.use(await TerminalClient.open(alice, { cluster, serverId: world.agentId, login: 'root' }))
    opened.use(await TerminalClient.open(alice, { cluster, pod: { kubeCluster: 'dev', namespace: 'default', pod: 'web-1' } }))
    const sql = opened.use(await SqlClient.open(alice, { cluster, database: 'orders', user: 'reader', name: 'orders' }))
    await sql.next('open')
    const app = new AppBrowser(world.url, 'wiki.localhost')
    await app.enter(alice, cluster)
    await app.send('/')
    opened.use(await DesktopClient.open(alice, { cluster, desktop: 'office', login: 'lucy' }))
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  test('R3-090: each stands in the list with the sign of its kind and the name of its resource', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/cluster/${world.cluster}/sessions`)
    const names = { SSH: agentHostname, Kubernetes: 'dev', Database: 'orders', Application: 'wiki', Desktop: 'office' }
    for (const [kind, name] of Object.entries(names)) {
      const row = page.getByRole('row', { name: new RegExp(`${kind}.*${name}`) })
      await row.waitFor()
      await expect.poll(() => row.getByTitle(kind).locator('svg').count(), { message: kind }).toBe(1)
    }
    await inspect(page, 'session-kinds')
    noErrors()
    await page.context().close()
  })
})
