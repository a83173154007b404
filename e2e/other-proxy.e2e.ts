/** The console at a proxy that is not ours: what only ours tells is missing, lists are null, and there are kinds nobody knows yet. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { openBrowser } from './browser.ts'
import { reconfigure, signedIn } from './visitor.ts'

const soon = new Date(Date.now() + 3_600_000).toISOString()
const request = (id: string, user: string) => ({
  id,
  user,
  state: 'PENDING',
  roles: ['dba'],
  requestReason: `reason of ${user}`,
  created: '2026-01-02T00:00:00Z',
  expires: soon,
  requestTTL: soon,
  reviews: null,
  suggestedReviewers: null,
  thresholdNames: null,
  resources: null,
})
const sid = '8f1c2f5e-4f0b-4c6a-9d0e-0d6c1f6a7b11'
const recorded = 'played elsewhere'
const recordedEvents = [
  { ei: 0, event: 'session.start', code: 'T2000I', time: '2026-01-02T00:00:00Z', sid, size: '80:25', user: 'bob', login: 'root' },
  { ei: 1, event: 'print', time: '2026-01-02T00:00:00Z', ci: 0, bytes: recorded.length, ms: 0, offset: 0 },
  { ei: 2, event: 'session.end', code: 'T2004I', time: '2026-01-02T00:00:05Z', sid },
]

describe.skipIf(whyNoProgram('chromium'))('another proxy', () => {
  let world: World
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
    page = (await signedIn(browser, world, 'alice')).page
    await reconfigure(page, { recoveryCodesEnabled: true })
    const unknown = [
      'mfa/recoverycodes',
      'sessions/web/all',
      'trustedcluster/states',
      'authconnector/default',
      'mfadevices',
      'sessions/*/outline',
      'clusterconfig/*',
      'tokens',
    ]
    for (const path of unknown)
      await page.route(`**/v1/webapi/**/${path}`, (route) =>
        route.fulfill({ status: 404, contentType: 'text/plain', body: '404 page not found' }),
      )
    const answers: Record<string, unknown> = {
      '/v1/webapi/mfa/devices': [{ id: 'k', name: 'blue key', type: 'WebAuthn', addedAt: '2026-01-02T00:00:00Z', lastUsed: null }],
      '/v1/enterprise/accessrequest': [request('1', 'bob'), request('2', 'alice')],
      '/sessions/*/events': { events: recordedEvents, startKey: '' },
      '/sites/*/locks': [
        { name: 'l', message: null, expires: '', createdAt: null, createdBy: 'bob', targets: { bot_instance_id: 'b', user: 'mallory' } },
      ],
      '/v1/webapi/trustedcluster': null,
      '/v1/webapi/github': {
        connectors: [{ id: 'github:gh', kind: 'github', name: 'gh', content: 'kind: github' }],
        defaultConnectorName: 'gh',
      },
      '/v1/enterprise/oidc': null,
      '/v1/webapi/users/password/token/*': { user: 'newcomer' },
      '/sites/*/desktops': {
        items: [{ name: 'office', os: 'windows', addr: '10.0.0.9', labels: null, logins: null }],
        startKey: null,
        totalCount: 0,
      },
    }
    for (const [path, json] of Object.entries(answers))
      await page.route(
        (url) => new RegExp(`${path.replaceAll('*', '[^/]+')}$`).test(url.pathname),
        (route) => route.fulfill({ json }),
      )
    await page.route('**/sessions/*/stream?*', (route) => route.fulfill({ contentType: 'application/octet-stream', body: recorded }))
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const go = (path: string) => page.goto(world.url + path)
  const inCluster = (path: string) => go(`/web/cluster/${world.cluster}/${path}`)

  test('an account shows the devices, and nothing that the proxy does not tell', async () => {
    await go('/web/account')
    const row = page.getByRole('row', { name: /blue key/ })
    await row.getByText('never').waitFor()
    await page.getByRole('heading', { name: 'Roles and traits' }).waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Recovery codes' }).count()).toBe(0)
    // The key may well be one.
    expect(await page.getByText('Sign in without a password.').count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('requests of others can be decided, own ones cannot', async () => {
    await go('/web/requests?show=all')
    await page.getByRole('button', { name: 'View request of alice' }).waitFor()
    await page.getByRole('button', { name: 'Review request of bob' }).click()
    await page.getByRole('heading', { name: 'Your review' }).waitFor()
  })

  test('a recording plays; what only ours makes of it is not offered', async () => {
    await inCluster(`session/${sid}?recordingType=ssh&durationMs=5000`)
    await page.getByRole('slider', { name: 'Position' }).waitFor()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Copy link to this moment' }).waitFor()
    expect(await page.getByRole('menuitem', { name: /^Download/ }).count()).toBe(0)
  })

  test('lists that are null or of a later form are lists', async () => {
    await go('/web/locks')
    await page.getByRole('table', { name: 'Locks' }).getByText('mallory').waitFor()
    await go('/web/sso')
    await page.getByRole('list', { name: 'Auth connectors' }).getByText('gh', { exact: true }).first().waitFor()
    await inCluster('desktops')
    await page.getByText('office', { exact: true }).first().waitFor()
    // Counted by nobody.
    await page.getByText('1–1', { exact: true }).waitFor()
    await go('/web/trust')
    await page.getByRole('heading', { level: 1, name: 'Trusted Clusters' }).waitFor()
    await page.getByRole('heading', { name: /No trusted clusters|not trust/i }).waitFor()
  })

  test('settings and tokens that cannot be read here are no failure, and a link needs no more than its address', async () => {
    await go('/web/settings')
    await expect.poll(() => page.getByText('This proxy does not tell these settings.').count()).toBe(3)
    await go('/web/tokens')
    await page.getByRole('heading', { name: 'This proxy does not list join tokens' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await go('/web/invite/0123456789abcdef/continue')
    await page.getByLabel('New password').waitFor()
  })
})
