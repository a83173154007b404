/** Sign-in as people meet it, the pages that need no session, and where each leads. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'

describe.skipIf(whyNoProgram('chromium'))('sign-in', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'dan'] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  async function fillIn(page: Page, name: 'alice' | 'dan', password = world.person(name).password): Promise<void> {
    await page.getByLabel('Username').fill(name)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('radio', { name: 'Authenticator app' }).check()
    await page.getByLabel('One-time code').fill(await world.person(name).authenticator.code())
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  test.each([
    ['R2-038, R2-061', '/web/login', 'Login', /^Sign in to /],
    ['R2-039, R2-040, R2-063', '/web/msg/info/login_success', 'Success', /^Success$/],
    ['R2-041, R2-062', '/web/msg/error/login_failed', 'Login Failed', /^Login Unsuccessful$/],
    ['R2-042, R2-106', '/web/msg/error/login', 'Login Failed', /^Login Unsuccessful$/],
    ['callback', '/web/msg/error/login/callback', 'Login Failed', /^Login Unsuccessful$/],
    ['auth', '/web/msg/error/login/auth', 'Login Failed', /^Login Unsuccessful$/],
    ['R2-045, R2-050, R2-064', '/web/invite/0123456789abcdef', 'Invite', /^Set up your account$/],
    ['R2-046', '/web/invite/0123456789abcdef/continue', 'Invite', /^This link does not work any more$/],
    ['R2-047, R2-051', '/web/reset/0123456789abcdef', 'Password Reset', /^Reset how you sign in$/],
    ['R2-048', '/web/reset/0123456789abcdef/continue', 'Password Reset', /^This link does not work any more$/],
  ])('%s: %s opens without a session', async (_, path, title, heading) => {
    const { page } = await newPerson(browser)
    await page.goto(at(path))
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await expect.poll(() => page.title()).toBe(title)
    expect(new URL(page.url()).pathname).toBe(path)
    await page.context().close()
  })

  test('R2-107: the way back from a failed sign-in', async () => {
    const { page } = await newPerson(browser)
    await page.goto(at('/web/msg/error/login?message=<b>no</b>'))
    await page.getByText('<b>no</b>').waitFor()
    await inspect(page, 'login-failed')
    await page.getByRole('link', { name: 'Please attempt to log in again.' }).click()
    await page.getByRole('heading', { name: /^Sign in to / }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/web/login')
    await page.context().close()
  })

  test('R2-065: a private page without a session leads to sign-in before anything is asked for', async () => {
    const { page } = await newPerson(browser)
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/v1/') && asked.push(new URL(request.url()).pathname))
    for (const path of [
      '/web',
      '/web/account',
      '/web/support',
      `/web/cluster/${world.cluster}/nodes`,
      `/web/cluster/${world.cluster}/console`,
    ]) {
      await page.goto(at(path))
      await page.getByRole('heading', { name: /^Sign in to / }).waitFor()
      expect(new URL(page.url()).searchParams.get('redirect_uri')).toBe(at(path))
    }
    expect(asked.filter((path) => path !== '/v1/webapi/ping')).toEqual([])
    await page.context().close()
  })

  test('a wrong password says only that something was wrong; the right one leads back to the page and its search (R2-110, R2-111, R1-020)', async () => {
    const { page, noErrors } = await newPerson(browser)
    const wanted = `/web/cluster/${world.cluster}/nodes?search=open`
    await page.goto(at(wanted))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Enter your username').waitFor()
    await fillIn(page, 'alice', 'not this one')
    await page.getByText('Those details were not accepted.').waitFor()
    await inspect(page, 'login-refused')
    await fillIn(page, 'alice')
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()
    expect(page.url()).toBe(at(wanted))
    await page.goto(at('/web/login'))
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('R2-112: after sign-in the way leads to the own origin, whatever the address says', async () => {
    const { page } = await newPerson(browser)
    await page.goto(at(`/web/login?redirect_uri=${encodeURIComponent('https://evil.example/web/support')}`))
    await fillIn(page, 'dan')
    await page.getByRole('heading', { name: 'Help & Support' }).waitFor()
    expect(page.url()).toBe(at('/web/support'))
    await page.context().close()
  })
})
