/** Measures of the design as a browser computes them. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { addApp } from '@sallyport/testkit/app-browser.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { keepPicture, narrow, newPerson, openBrowser, setTheme, settle, wide } from './browser.ts'
import { breathe, reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('the design in the browser', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const scoped = (page: string): string => at(`/web/cluster/${world.cluster}/${page}`)
  const heading = (page: Page): Promise<void> => page.getByRole('heading', { level: 1 }).waitFor()

  test('R9-045: the other form slides in within 500 ms', async () => {
    const { page } = await newPerson(browser)
    await reconfigure(page, { auth: { localConnectorName: 'passwordless' } })
    await page.goto(at('/web/login'))
    await page.getByRole('button', { name: 'Sign in with a password' }).click()
    const durations = await page.getByRole('button', { name: 'Back' }).evaluate((button) => {
      const found: string[] = []
      for (let element: Element | null = button; element; element = element.parentElement)
        found.push(getComputedStyle(element).animationDuration)
      return found
    })
    expect(durations).toContain('0.5s')
    await page.context().close()
  })

  describe('a spinner', () => {
    async function stopClock(page: Page): Promise<void> {
      const now = Date.now()
      await page.clock.install({ time: now })
      // It runs until it stands still, and never back: a minute is more than the way there takes.
      await page.clock.pauseAt(now + 60_000)
    }
    async function appearsAfter(page: Page, delay: number, spinner: Locator): Promise<void> {
      await breathe(page)
      await page.clock.runFor(delay - 1)
      await breathe(page)
      expect(await spinner.count()).toBe(0)
      await page.clock.runFor(1)
      await breathe(page)
      await expect.poll(() => spinner.count()).toBe(1)
      await page.context().close()
    }

    test('R9-046: of a button shows at once', async () => {
      const { page } = await newPerson(browser)
      await page.goto(at('/web/login'))
      await page.getByLabel('Username').fill('alice')
      await page.getByLabel('Password', { exact: true }).fill('x')
      await page.getByRole('radio', { name: 'Authenticator app' }).check()
      await page.getByLabel('One-time code').fill('123456')
      await page.route('**/sessions/web', () => undefined)
      await stopClock(page)
      const button = page.getByRole('button', { name: 'Sign in', exact: true })
      expect(await button.getAttribute('aria-busy')).toBeNull()
      await button.click()
      await breathe(page)
      await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
      await page.context().close()
    })

    test('R9-047: in a card waits 400 ms', async () => {
      const { link } = await ask(world.dataDir, adminCalls.addUser, { name: 'liam', roles: [], logins: [] })
      const { page } = await newPerson(browser)
      await stopClock(page)
      const call = '**/users/password/token/*'
      await page.route(call, () => undefined)
      const asked = page.waitForRequest(call)
      await page.goto(`${link}/continue`)
      await asked
      await breathe(page)
      // The card comes after the blank page of the load has stood for React's 300 ms.
      await page.clock.runFor(300)
      await heading(page)
      await appearsAfter(page, 400, page.getByRole('status').filter({ hasText: 'Reading the link' }))
    })

    test('R9-048: for a page waits 600 ms', async () => {
      const { page } = await newPerson(browser)
      await stopClock(page)
      const chunk = /\/LoginSuccess-[^/]+\.js$/
      await page.route(chunk, () => undefined)
      const asked = page.waitForRequest(chunk)
      await page.goto(at('/web/msg/info/login_success'), { waitUntil: 'commit' })
      await asked
      await appearsAfter(page, 600, page.getByRole('status').filter({ hasText: 'Loading' }))
    })
  })

  test('R9-049: a dialog lies on layer 1200', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/support'))
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    const layers = await page.getByRole('dialog').evaluate((dialog) => {
      const found: string[] = []
      for (let element: Element | null = dialog; element; element = element.parentElement) found.push(getComputedStyle(element).zIndex)
      return found.filter((layer) => layer !== 'auto')
    })
    expect(layers[0]).toBe('1200')
    await page.context().close()
  })

  test('R9-050: menus and popovers stay 16 px inside the window, at every width', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(scoped('nodes'))
    await page.getByRole('row').nth(1).waitFor()
    for (const width of [1440, 800, 390]) {
      await page.setViewportSize({ width, height: 700 })
      for (const [button, layer] of [
        [page.getByRole('button', { name: /^Account/ }), page.getByRole('menu')],
        [page.getByRole('button', { name: /^Connect/ }).first(), page.getByRole('dialog')],
      ] as const) {
        await button.click()
        await layer.waitFor()
        await settle(page)
        const room = async (): Promise<number> => {
          const box = await layer.boundingBox()
          if (!box) throw new Error('the layer has no place')
          return Math.min(box.x, width - box.x - box.width, 700 - box.y - box.height)
        }
        await expect.poll(room, { message: `${await layer.innerText()} at ${width} px` }).toBeGreaterThanOrEqual(16)
        await page.keyboard.press('Escape')
        await layer.waitFor({ state: 'detached' })
      }
    }
    await page.context().close()
  })

  test('names longer than their place never widen a phone, and tell themselves whole to a pointer', async () => {
    const long = 'customer-relationship-management-and-invoicing-portal-europe'
    const sentence = 'Fix the ledger: the nightly job has left 4711 entries without a counter entry. '.repeat(3).trim()
    await addApp(world, long, { uri: 'http://127.0.0.1:1', labels: { 'cost-center': 'emea-4711-shared-services' }, description: sentence })
    await world.proxy.locks.place({ target: { user: 'nobody-that-we-know' }, message: sentence }, 'alice')
    const { page } = await signedIn(browser, world, 'alice')
    for (const path of [scoped('apps'), at('/web/locks')]) {
      await page.setViewportSize(narrow)
      await page.goto(path)
      await page.getByText(sentence).waitFor()
      await keepPicture(page, `long-${path.split('/').at(-1)}-390`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), path).toBe(0)
    }
    await page.setViewportSize(wide)
    const cut = page.getByRole('table', { name: 'Locks' }).getByText(sentence)
    await cut.evaluate((element) => element.removeAttribute('title'))
    await cut.hover()
    await expect.poll(() => page.getByTitle(sentence).count()).toBe(1)
    await page.context().close()
  })

  test('what is told while a dialog is open stands above it, and is put away without it', async () => {
    await addApp(world, 'queue', { uri: 'tcp://127.0.0.1:1' })
    const { page } = await signedIn(browser, world, 'alice')
    await page.setViewportSize(narrow)
    await page.goto(scoped('apps'))
    await page.getByRole('button', { name: 'Connect to queue' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect to queue' })
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
    })
    await dialog.getByRole('button', { name: 'Copy command' }).click()
    const told = page.getByText('Could not copy')
    await told.waitFor()
    await keepPicture(page, 'toast-over-dialog-390')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await told.waitFor({ state: 'detached' })
    expect(await dialog.isVisible()).toBe(true)
    await page.context().close()
  })

  test('R9-052: the cards of errors, success and outcomes are 540 px wide', async () => {
    const { page } = await newPerson(browser)
    for (const path of ['/web/msg/info/login_success', '/web/msg/error/login', '/web/nothing', '/web/invite/0123456789abcdef/continue']) {
      await page.goto(at(path))
      await heading(page)
      if (path.endsWith('continue')) await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
      await expect.poll(async () => (await page.getByRole('main').boundingBox())?.width, { message: path }).toBe(540)
    }
    await page.context().close()
  })

  test('R9-056, R9-057: every screen has a light look, which is the default, and a dark one', async () => {
    const screens = ['nodes', 'recordings', 'audit', 'console', 'console/nodes', 'session/x?recordingType=x'].map(scoped)
    const { page } = await signedIn(browser, world, 'alice')
    for (const path of [
      at('/web/msg/info/login_success'),
      at('/web/msg/error/login'),
      at('/web/nothing'),
      at('/web/account'),
      at('/web/support'),
      ...screens,
    ]) {
      await page.goto(path)
      await heading(page)
      const look = (): Promise<{ theme: string | undefined; ground: string }> =>
        page.evaluate(() => ({ theme: document.documentElement.dataset['theme'], ground: getComputedStyle(document.body).backgroundColor }))
      const name = new URL(path).pathname.split('/').slice(-2).join('-')
      const light = await look()
      expect(light.theme, path).toBe('light')
      await keepPicture(page, `theme-${name}-light`)
      await setTheme(page, 'dark')
      const dark = await look()
      await keepPicture(page, `theme-${name}-dark`)
      expect(brightness(light.ground), path).toBeGreaterThan(200)
      expect(brightness(dark.ground), path).toBeLessThan(60)
      await setTheme(page, 'light')
    }
    await page.context().close()
  })
})

/** Mean of the three channels of a computed colour, 0 to 255. */
function brightness(colour: string): number {
  const channels = [...colour.matchAll(/[\d.]+/g)].slice(0, 3).map(Number)
  return channels.reduce((sum, channel) => sum + channel, 0) / channels.length
}
