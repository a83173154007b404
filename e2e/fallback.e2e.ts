/** What stands in for a screen that cannot be shown: a chunk that is gone, and a screen that throws. */
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { root } from './process.ts'
import { signedIn } from './visitor.ts'

/** One try to load a script asks twice where it fails: ahead of time by a link, then by the import. */
const onePreload = 2

describe.skipIf(whyNoProgram('chromium'))('in place of a screen', () => {
  let folder: string
  let consoleDir: string
  let world: World
  let browser: Browser
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-fallback-'))
    consoleDir = join(folder, 'dist')
    cpSync(join(root, 'packages', 'console', 'dist'), consoleDir, { recursive: true })
    world = await createWorld({ people: ['alice'], settings: { consoleDir } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor()

  /** Takes away the files that the build made of one screen, and gives the address of the first; `using` puts them back. */
  function missing(screen: RegExp): Disposable & { path: string } {
    const app = join(consoleDir, 'app')
    const names = readdirSync(app).filter((name) => screen.test(name))
    if (!names[0]) throw new Error(`the build has no file like ${screen}`)
    for (const name of names) renameSync(join(app, name), join(folder, name))
    return {
      path: `/web/app/${names.toSorted((a, b) => a.length - b.length)[0]}`,
      [Symbol.dispose]: () => names.forEach((name) => renameSync(join(folder, name), join(app, name))),
    }
  }
  function countRequests(page: Page, path: string): () => number {
    let count = 0
    page.on('request', (request) => (count += new URL(request.url()).pathname === path ? 1 : 0))
    return () => count
  }

  test('where a file does not come that the console begins with, the page says so, and loads again', async () => {
    const { page } = await newPerson(browser)
    const start = '**/web/app/start-*.js'
    await page.route(start, (route) => route.abort())
    await page.goto(`${world.url}/web/login`)
    await heading(page, 'The console could not be loaded')
    await page.unroute(start)
    await page.getByRole('button', { name: 'Reload' }).click()
    await heading(page, 'Sign in')
    await page.context().close()
  })

  test('a browser that cannot read the console is told so', async () => {
    const { page } = await newPerson(browser)
    const start = '**/web/app/start-*.js'
    await page.route(start, (route) => route.fulfill({ contentType: 'text/javascript', body: 'let words = = of tomorrow' }))
    await page.goto(`${world.url}/web/login`)
    await page.getByText('Update the browser, or use another one').waitFor()
    await page.unroute(start)
    await page.getByRole('button', { name: 'Reload' }).click()
    await heading(page, 'Sign in')
    await page.context().close()
  })

  test('who retries in vain with the keyboard has the button under the hand again', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    const retry = page.getByRole('button', { name: 'Retry' })
    const refuse = (route: Route) => route.fulfill({ status: 500, json: { error: { message: 'the store is away' } } })
    await page.route('**/v1/webapi/users', refuse, { times: 1 })
    await page.goto(`${world.url}/web/users`)
    await retry.waitFor()
    const isGone = Promise.withResolvers<void>()
    await page.route(
      '**/v1/webapi/users',
      async (route) => {
        await isGone.promise
        await refuse(route)
      },
      { times: 1 },
    )
    await retry.press('Enter')
    // While it is tried the button is gone: what is focused afterwards is another one.
    await retry.waitFor({ state: 'detached' })
    isGone.resolve()
    await retry.waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Retry')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /alice/ }).waitFor()
    await page.context().close()
  })

  test('a list without anything leads who may add the first to it', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    for (const [path, thing, kind] of [
      ['apps', 'application', 'application'],
      ['kubernetes', 'cluster', 'kubernetes'],
      ['databases', 'database', 'database'],
      ['desktops', 'desktop', 'desktop'],
    ]) {
      await page.goto(`${world.url}/web/cluster/${world.cluster}/${path}`)
      await page.getByRole('heading', { name: `Add your first ${thing}` }).waitFor()
      await page
        .getByRole('link', { name: `Enroll ${thing}` })
        .last()
        .click()
      await heading(page, 'What do you want to reach?')
      expect(new URL(page.url()).searchParams.get('kind')).toBe(kind)
    }
    await page.context().close()
  })

  test('a browser that believes to be offline asks the proxy all the same', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/users`)
    await page.getByRole('row', { name: /alice/ }).waitFor()
    await page.evaluate(() => dispatchEvent(new Event('offline')))
    await page.getByRole('link', { name: 'Manage Roles' }).click()
    await page
      .getByRole('row', { name: /auditor/ })
      .first()
      .waitFor()
  })

  test('R8-009: a chunk that is gone is tried once and named, inside the page, with a way to reload', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/support`)
    await heading(page, 'Help & Support')
    {
      using gone = missing(/^Account-[^.]+\.js/)
      const asked = countRequests(page, gone.path)
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('menuitem', { name: 'Account Settings' }).click()
      await page.getByText(`Unable to preload CSS for ${gone.path}`, { exact: true }).waitFor()
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      await inspect(page, 'chunk-failed')
      expect(asked()).toBeLessThanOrEqual(onePreload)
    }
    await page.getByRole('button', { name: 'Reload' }).click()
    await heading(page, 'Account settings')
    await page.context().close()
  })

  test.each([
    ['the script of a public page', /^LoginSuccess-[^.]+\.js/, '/web/msg/info/login_success', 'Success'],
    ['the styles of a private page', /^Account-[^.]+\.css/, '/web/account', 'Account settings'],
    [
      'the script of a full page',
      /^Player-[^.]+\.js/,
      '/web/cluster/sallyport/session/0b8c1f6e-2d6a-4c58-9a55-3c1f6e0b8c1f?recordingType=x',
      'Recording',
    ],
  ])('R8-009: %s is gone when the page is loaded', async (_, files, path, title) => {
    const { page } = await signedIn(browser, world, 'alice')
    {
      using gone = missing(files)
      const asked = countRequests(page, gone.path)
      await page.goto(world.url + path)
      await page.getByText(`Unable to preload CSS for ${gone.path}`, { exact: true }).waitFor()
      expect(asked()).toBeLessThanOrEqual(onePreload)
    }
    await page.getByRole('button', { name: 'Reload' }).click()
    await heading(page, title)
    await page.context().close()
  })

  test('R2-103, R2-104, R2-105, R8-015: a screen that throws is a card inside the page with its message; once the cause is gone, Retry shows the screen', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    // Help & Support asks the browser for its name while it renders.
    await page.addInitScript(() => {
      const name = navigator.userAgent
      Object.defineProperty(navigator, 'userAgent', {
        get() {
          if ('nameless' in window) throw new Error('this browser has no name')
          return name
        },
      })
    })
    await page.goto(`${world.url}/web/account`)
    await heading(page, 'Account settings')
    await page.evaluate(() => Object.assign(window, { nameless: true }))
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Help & Support' }).click()
    await heading(page, 'Internal Error')
    await page.getByText('this browser has no name', { exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await expect.poll(() => page.getByRole('main').getByRole('heading', { name: 'Internal Error' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Retry' }).click()
    await heading(page, 'Internal Error')
    await page.evaluate(() => Reflect.deleteProperty(window, 'nameless'))
    await inspect(page, 'internal-error')
    await page.getByRole('button', { name: 'Retry' }).click()
    await heading(page, 'Help & Support')
    await page.context().close()
  })

  test('R2-103, R2-105: a console that cannot learn who the viewer is says so, and tries again', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.route(
      '**/v1/webapi/sites/*/context',
      (route) => route.fulfill({ status: 500, json: { error: { message: 'the store is away' } } }),
      { times: 1 },
    )
    await page.goto(`${world.url}/web/support`)
    await heading(page, 'Internal Error')
    await page.getByText('the store is away', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await heading(page, 'Help & Support')
    await page.context().close()
  })

  test('R2-106: each way in which a sign-in can fail ends at the same title', async () => {
    const { page } = await newPerson(browser)
    for (const path of ['login', 'login_failed', 'login/callback', 'login/auth']) {
      await page.goto(`${world.url}/web/msg/error/${path}`)
      await heading(page, 'Login Unsuccessful')
    }
    await page.goto(`${world.url}/web/msg/error/login/else`)
    await heading(page, '404 Not Found')
    await page.context().close()
  })
})
