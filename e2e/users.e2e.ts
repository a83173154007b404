/** Manage Users, as administrators and others meet it. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Authenticator } from '@sallyport/testkit/authenticator.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { create, createUserToken, list, read } from '@sallyport/wire/calls/users.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

const password = 'a long enough password'

describe.skipIf(whyNoProgram('chromium'))('users', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) })
  const menu = async (page: Page, name: string, entry: string) => {
    await page.getByRole('button', { name: `More for ${name}` }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  const openUsers = async (page: Page, search = '') => {
    await page.goto(at(`/web/users${search}`))
    await row(page, 'alice').or(page.getByText('Nothing matches')).first().waitFor()
  }
  const userOf = async (name: string) => (await clientOf(world, 'alice')).call(read, { params: { name } })
  /** Somebody else, in a browser of their own, sets up the account of a link. */
  async function setUp(link: string): Promise<Page> {
    const { page } = await newPerson(browser)
    await page.goto(link)
    await page
      .getByRole('button', { name: 'Get started' })
      .or(page.getByRole('link', { name: 'Get started' }))
      .click()
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Next' }).click()
    return page
  }

  test('pictures', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    const api = await clientOf(world, 'alice')
    for (let index = 0; index < 30; index += 1)
      await api.call(create, {
        body: {
          name: `person-${index}`,
          roles: index % 3 ? ['access'] : ['access', 'auditor', 'editor'],
          traits: { logins: ['root', `person-${index}`] },
        },
      })
    await openUsers(page)
    await inspect(page, 'users')
    await page.getByRole('button', { name: 'alice', exact: true }).click()
    await page.getByText('Signed in', { exact: true }).waitFor()
    await inspect(page, 'users-details')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByLabel('Username').fill('zoe')
    await page.getByLabel('Roles').fill('a')
    await page.getByRole('option', { name: 'access' }).waitFor()
    await inspect(page, 'users-create-open')
    await page.getByRole('option', { name: 'access' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add trait' }).click()
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByText('Enter a trait key').waitFor()
    await inspect(page, 'users-create')
  })
})
