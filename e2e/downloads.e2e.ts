/** What this proxy hands out, what a plan locks, and what the console tells the proxy about its use. */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { callToActions } from '@sallyport/wire/entities/analytics-kinds.ts'
import { telemetryStorageKey } from '@sallyport/wire/limits.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { clientOf, reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('downloads', () => {
  let world: World
  let browser: Browser
  let folder: string
  const licence = 'the licence of this cluster\n'
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-licence-'))
    const licenseFile = join(folder, 'licence')
    await writeFile(licenseFile, licence)
    world = await createWorld({ people: ['alice', 'bob', 'dan'], settings: { downloadCentre: true, licenseFile } })
    browser = await openBrowser()
    const alice = await clientOf(world, 'alice')
    const rules = [{ resources: ['license'], verbs: ['read'] }]
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'licensee' }, spec: { allow: { rules } } }) },
    })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['access', 'licensee'] } })
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const at = (path: string): string => world.url + path
  const entry = (page: Page) => page.getByRole('menuitem', { name: 'Download Centre' })
  const openMenu = (page: Page): Promise<void> => page.getByRole('button', { name: /^Account/ }).click()
  /** What the browser saves after a click. */
  async function saved(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: button }).click()
    const file = await download
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
  }

  test('R1-017, R2-095: who may read the licence finds the agent and the licence, and gets exactly what is announced', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await page.goto(at('/web'))
    await openMenu(page)
    await entry(page).click()
    await expect.poll(() => page.title()).toContain('Download Centre')
    await page.getByRole('heading', { name: 'Agent' }).waitFor()
    const target = `${process.platform}-${process.arch}`
    const agent = await saved(page, `Download sallyport-agent-${target}.tar.gz`)
    expect(agent.name).toBe(`sallyport-agent-${target}.tar.gz`)
    const hash = createHash('sha256').update(agent.bytes).digest('hex')
    await page.getByText(hash, { exact: true }).waitFor()
    await page.getByText(`echo "${hash}  ${agent.name}" | sha256sum -c`).waitFor()
    await page.getByText('Same as this cluster').waitFor()
    expect(String((await saved(page, 'Download licence')).bytes)).toBe(licence)
    await page.getByRole('button', { name: 'Download licence' }).focus()
    await inspect(page, 'downloads')
    // A proxy that tells no checksum: there is nothing to check by.
    await page.route('**/v1/webapi/downloads', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: ((await response.json()) as object[]).map((item) => ({ ...item, sha256: '' })) })
    })
    await page.reload()
    await page.getByRole('heading', { name: 'Agent' }).waitFor()
    expect(await page.getByText(/SHA-256|Check the file/).count()).toBe(0)
    noErrors()
    await page.context().close()
  })

  test('R3-005: without a dashboard build there is no download centre whatever the rights, and with one none without', async () => {
    const { page } = await signedIn(browser, world, 'bob')
    await reconfigure(page, { isDashboard: false })
    await page.goto(at('/web/downloads'))
    await page.getByRole('heading', { name: 'Access Denied' }).waitFor()
    await openMenu(page)
    await page.getByRole('menuitem', { name: 'Help & Support' }).waitFor()
    expect(await entry(page).count()).toBe(0)
    await page.context().close()
    const { page: other } = await signedIn(browser, world, 'dan')
    await other.goto(at('/web/downloads'))
    await other.getByRole('heading', { name: 'Access Denied' }).waitFor()
    await other.context().close()
  })

  test('R2-099: there is no billing, so neither its page nor its section', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/users'))
    await page.getByRole('heading', { level: 2, name: 'Clusters' }).waitFor()
    expect(await page.getByRole('heading', { level: 2, name: 'Billing' }).count()).toBe(0)
    await page.goto(at('/web/billing'))
    await page.getByRole('heading', { name: '404 Not Found' }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('R3-008: where the plan locks features, each says where to ask, and the proxy hears which one it was', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await reconfigure(page, { isUsageBasedBilling: true, contactUrl: 'mailto:plans@example.com' })
    await page.route('mailto:**', (route) => route.abort())
    const locked = {
      '/web/sso': 'authConnectors',
      '/web/requests': 'accessRequests',
      '/web/support': 'premiumSupport',
      '/web/devices': 'trustedDevices',
    } as const
    for (const [path, feature] of Object.entries(locked)) {
      await page.goto(at(path))
      const link = page.getByRole('link', { name: 'Ask about other plans' })
      await expect.poll(() => link.getAttribute('href')).toBe('mailto:plans@example.com')
      // The mail program is nobody's test.
      await link.evaluate((element) => element.addEventListener('click', (event) => event.preventDefault()))
      const told = page.waitForRequest((request) => request.url().endsWith('/v1/webapi/capture'))
      await link.click()
      expect((await told).postDataJSON()).toEqual({ event: 'tp.ui.callToAction.click', eventData: callToActions[feature] })
    }
    await page.goto(at('/web/sso'))
    await page.getByRole('link', { name: 'Ask about other plans' }).waitFor()
    await inspect(page, 'locked-feature')
    await reconfigure(page, { isUsageBasedBilling: true, contactUrl: 'javascript:alert(1)' })
    await page.goto(at('/web/sso'))
    await page.getByRole('heading', { name: 'Auth connectors are locked' }).waitFor()
    expect(await page.getByRole('link', { name: 'Ask about other plans' }).count()).toBe(0)
    noErrors()
    await page.context().close()
  })

  test('R7-117: reports of use that fail show nothing and hold nothing up, before sign-in and after', async () => {
    const failed: string[] = []
    const fail = async (page: Page): Promise<void> => {
      await page.route(/\/webapi\/(pre)?capture$/, async (route) => {
        failed.push(String(route.request().postDataJSON().event))
        await (failed.length % 2 === 0 ? route.abort() : route.fulfill({ status: 500, body: 'no' }))
      })
    }
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await fail(page)
    await page.goto(at('/web/roles'))
    await page.getByRole('button', { name: 'Create role' }).click()
    await page.getByRole('dialog', { name: /New role/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(() => failed).toEqual(['tp.ui.createNewRole.click', 'tp.ui.createNewRoleCancel.click'])
    expect(await page.getByRole('alert').count()).toBe(0)
    noErrors()
    await page.context().close()

    failed.length = 0
    const { link } = await ask(world.dataDir, adminCalls.addUser, { name: 'erin', roles: ['access'], logins: [] })
    const { page: fresh, noErrors: noneEither } = await newPerson(browser)
    await fail(fresh)
    await fresh.goto(`${link}/continue`)
    await fresh.getByLabel('New password').fill('nobody hears of this')
    await fresh.getByLabel('Confirm password').fill('nobody hears of this')
    await fresh.getByRole('button', { name: 'Next' }).click()
    await fresh.getByText('Step 2 of 2').waitFor()
    await expect.poll(() => failed).toEqual(['tp.ui.onboard.setCredential.submit'])
    expect(await fresh.getByRole('alert').count()).toBe(0)
    noneEither()
    await fresh.context().close()
  })

  test('R2-115, R2-116: telemetry is loaded, and sends spans without a name in them, only where the viewer wants it', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const ofTelemetry = (): string[] => asked.filter((path) => /telemetry|\/traces$/.test(path))
    const users = async (): Promise<void> => {
      await page.goto(at('/web/users'))
      await page.getByRole('row', { name: /bob/ }).waitFor()
    }
    await users()
    expect(ofTelemetry()).toEqual([])
    await page.evaluate((key) => localStorage.setItem(key, 'yes'), telemetryStorageKey)
    await users()
    expect(ofTelemetry()).toEqual([])
    await page.evaluate((key) => localStorage.setItem(key, 'true'), telemetryStorageKey)
    // Spans come as they were gathered, some seconds of them at a time.
    const answers: Response[] = []
    page.on('response', (response) => void (response.url().endsWith('/v1/webapi/traces') && answers.push(response)))
    const bodies = (): string[] => answers.map((answer) => answer.request().postData() ?? '')
    await users()
    for (const name of ['page', 'call users'])
      await expect
        .poll(() => bodies().map((body): unknown => JSON.parse(body)))
        .toContainEqual(
          expect.objectContaining({
            resourceSpans: [
              expect.objectContaining({
                scopeSpans: [expect.objectContaining({ spans: expect.arrayContaining([expect.objectContaining({ name })]) })],
              }),
            ],
          }),
        )
    for (const answer of answers) expect(answer.status()).toBe(200)
    expect(ofTelemetry().some((path) => /^\/web\/app\/telemetry-.*\.js$/.test(path))).toBe(true)
    for (const body of bodies()) expect(body).not.toMatch(/alice|sites\/[^*]/)
    noErrors()
    await page.context().close()
  })
})
