/** The session as a page lives it: noticed activity, and renewals that fail. The page's clock is moved, never waited for. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Name } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { signOut, userStatus } from '@sallyport/wire/calls/session.ts'
import { activityThrottle, bearerTtl, sessionCheckEvery, sessionRenewBelow } from '@sallyport/wire/limits.ts'
import { openBrowser } from './browser.ts'
import { signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('a session', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'bob', 'carol'], settings: { webIdleTimeout: '2h' } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  async function open(name: Name): Promise<Page> {
    const { page } = await signedIn(browser, world, name)
    await page.clock.install()
    const checked = page.waitForResponse((response) => response.url().endsWith(userStatus.path))
    await page.goto(`${world.url}/web/support`)
    await page.getByRole('heading', { level: 1, name: 'Help & Support' }).waitFor()
    expect((await checked).status()).toBe(200)
    return page
  }
  /** To the moment at which the next check finds less than three minutes left. */
  const untilRenewal = (page: Page): Promise<void> => page.clock.fastForward(bearerTtl - sessionRenewBelow + sessionCheckEvery)
  const token = (page: Page): Promise<string | null> => page.evaluate(() => localStorage.getItem('grv_teleport_token'))
  const isAtSignIn = async (page: Page): Promise<void> => {
    await page.getByRole('heading', { level: 1, name: /^Sign in to / }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/web/login')
    expect(await token(page)).toBeNull()
  }

  test('R4-017, R4-018, R4-019, R9-018: keys, the moving pointer and the pressed one are noted, in milliseconds', async () => {
    const page = await open('alice')
    const noted = (): Promise<number> => page.evaluate(() => Number(localStorage.getItem('grv_teleport_last_active')))
    const now = (): Promise<number> => page.evaluate(() => Date.now())
    await page.mouse.move(700, 500)
    for (const act of [() => page.keyboard.press('Shift'), () => page.mouse.move(701, 501), () => page.mouse.down()]) {
      await page.clock.fastForward(activityThrottle + 1000)
      const before = await now()
      expect(await noted()).toBeLessThan(before - activityThrottle)
      await act()
      await expect.poll(noted).toBeGreaterThanOrEqual(before)
      expect(await noted()).toBeLessThanOrEqual(await now())
    }
    await page.context().close()
  })

  test('R4-010: a renewal that the proxy refuses leads to sign-in', async () => {
    const page = await open('bob')
    const renewal = page.waitForResponse((response) => response.url().endsWith('/sessions/web/renew'))
    // Somebody ends this session elsewhere: the page hears of it from the proxy only, and at the renewal, not at a check before it.
    await page.route(`**${userStatus.path}`, (route) => route.abort())
    const cookies = await page.context().cookies(world.url.replace('http:', 'https:'))
    const bearer = await page.evaluate(() =>
      String((JSON.parse(localStorage.getItem('grv_teleport_token') ?? '{}') as { accessToken?: string }).accessToken),
    )
    const ended = await fetch(world.url + signOut.path, {
      method: signOut.method,
      headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '), authorization: `Bearer ${bearer}` },
    })
    expect(ended.status).toBe(200)
    await untilRenewal(page)
    expect((await renewal).status()).toBe(403)
    await isAtSignIn(page)
    await page.context().close()
  })

  test('R8-011: so does one that breaks; one that succeeds goes unnoticed', async () => {
    const page = await open('carol')
    const before = await token(page)
    const first = page.waitForResponse((response) => response.url().endsWith('/sessions/web/renew'))
    await untilRenewal(page)
    expect((await first).status()).toBe(200)
    await expect.poll(() => token(page)).not.toBe(before)
    await page.getByRole('heading', { level: 1, name: 'Help & Support' }).waitFor()
    await page.route('**/sessions/web/renew', (route) => route.fulfill({ status: 500, json: { error: { message: 'the store is away' } } }))
    await untilRenewal(page)
    await isAtSignIn(page)
    await page.context().close()
  })
})
