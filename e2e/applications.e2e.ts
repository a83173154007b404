/** Web applications in a real browser: from the list to a page of the application, and out again. */
import type { Browser, Page } from 'playwright-core'
import { ask } from '@sallyport/cli/admin-client.ts'
import { addApp } from '@sallyport/testkit/app-browser.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startWebApp } from '@sallyport/testkit/targets/web-app.ts'
import type { WebApp } from '@sallyport/testkit/targets/web-app.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import type { World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('applications', () => {
  let world: World
  let browser: Browser
  let wiki: WebApp
  beforeAll(async () => {
    world = await createWorld({ people: ['bob', 'dan'] })
    wiki = await startWebApp()
    await addApp(world, 'wiki', { uri: wiki.uri, labels: { team: 'docs', env: 'prod' }, description: 'Handbooks and how-tos' })
    await addApp(world, 'metrics', { uri: wiki.uri, labels: { team: 'ops' }, description: 'Dashboards of every service' })
    await addApp(world, 'queue', { uri: 'tcp://127.0.0.1:5672', labels: { team: 'ops' } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await wiki[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })
  const list = (): string => `${world.url}/web/cluster/${world.cluster}/apps`
  const launched = async (page: Page, name: string): Promise<Page> => {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: `Launch ${name}` }).click()
    return opened
  }

  test('R0-002, R1-006, R2-017, R2-035: an application opens from the list, under its own name', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await page.goto(list())
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
    await expect.poll(() => page.title()).toBe(`${world.cluster} • Applications`)
    await page.getByRole('link', { name: 'Launch wiki' }).waitFor()
    await inspect(page, 'applications')
    const app = await launched(page, 'wiki')
    await app.getByRole('heading', { name: 'Team wiki' }).waitFor()
    const { port } = new URL(world.url)
    expect(app.url()).toBe(`http://wiki.localhost:${port}/`)
    const cookies = await page.context().cookies(app.url())
    expect(
      cookies.filter(({ name }) => name.startsWith('__Host-grv_app')).map(({ httpOnly, secure, path }) => ({ httpOnly, secure, path })),
    ).toEqual([
      { httpOnly: true, secure: true, path: '/' },
      { httpOnly: true, secure: true, path: '/' },
    ])
    expect(cookies.some(({ name }) => name === '__Host-session')).toBe(false)
    await app.getByRole('link', { name: 'What it is told about you' }).click()
    await app.getByText('Teleport-Jwt-Assertion').waitFor()
    // Straight to a page of another one, which leads through the console and back.
    await app.goto(`http://metrics.localhost:${port}/headers?deep=1#part`)
    await app.getByText('/headers?deep=1').waitFor()
    noErrors()
    await page.context().close()
  })

  test('R2-036: a link may say the cluster and the address as well; one that leads nowhere says so', async () => {
    const { page } = await signedIn(browser, world, 'bob')
    for (const more of ['', `/${world.cluster}`, `/${world.cluster}/wiki.localhost`, `/${world.cluster}/wiki.localhost/none`]) {
      await page.goto(`${world.url}/web/launch/wiki.localhost${more}`)
      await page.getByRole('heading', { name: 'Team wiki' }).waitFor()
    }
    await page.goto(`${world.url}/web/launch/nothing.localhost/${world.cluster}/nothing.localhost`)
    await page.getByRole('heading', { name: 'Access Denied' }).waitFor()
    await page.getByText('unable to resolve FQDN: nothing.localhost').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.getByRole('link', { name: 'Back to applications' }).click()
    await page.getByRole('link', { name: 'Launch wiki' }).waitFor()
    await page.context().close()
  })

  test('what is no web application says how it is reached', async () => {
    const { page } = await signedIn(browser, world, 'bob')
    await page.goto(list())
    await page.getByRole('button', { name: 'Connect to queue' }).click()
    await page.getByRole('dialog', { name: 'Connect to queue' }).getByText('sallyport proxy app queue').waitFor()
    await inspect(page, 'application-connect')
    await page.context().close()
  })

  test('R2-069, R6-003: the list stands in the navigation under Resources, by app_server list and read', async () => {
    const { page } = await signedIn(browser, world, 'dan')
    await page.goto(world.url)
    const resources = page.getByRole('navigation', { name: 'Main' })
    await resources.getByRole('link', { name: 'Applications' }).click()
    await page.getByText('No applications here').waitFor()
    const denies = {
      kind: 'role',
      version: 'v6',
      metadata: { name: 'no-apps' },
      spec: { deny: { rules: [{ resources: ['app_server'], verbs: ['read'] }] } },
    }
    await ask(world.dataDir, adminCalls.saveResources, { parts: [JSON.stringify(denies)], force: false })
    await ask(world.dataDir, adminCalls.updateUser, { name: 'dan', roles: ['no-apps'] })
    await page.goto(list())
    await page.getByRole('heading', { name: 'Access Denied' }).waitFor()
    expect(await resources.getByRole('link', { name: 'Applications' }).count()).toBe(0)
    await page.context().close()
    const stranger = await newPerson(browser)
    await stranger.page.goto(`${world.url}/web/launch/wiki.localhost?path=%2Fheaders`)
    await stranger.page.waitForURL(/\/web\/login\?redirect_uri=/)
    expect(new URL(stranger.page.url()).searchParams.get('redirect_uri')).toContain('/web/launch/wiki.localhost?path=')
    await stranger.page.context().close()
  })
})
