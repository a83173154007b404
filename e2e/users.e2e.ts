/** Manage Users, as administrators and others meet it. */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { userStatus } from '@sallyport/wire/calls/session.ts'
import { create, list, read, update } from '@sallyport/wire/calls/users.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { clientOf, plugInKey, signedIn, typeSearch, waitForSignIn } from './visitor.ts'

const password = 'a long enough password'

describe.skipIf(whyNoProgram('chromium'))('users', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'carol', 'dan'] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const api = () => clientOf(world, 'alice')
  const addUser = async (name: string, roles = ['access']) =>
    (await api()).call(create, { body: { name, roles, traits: { logins: ['root', name] } } })
  const userOf = async (name: string) => (await api()).call(read, { params: { name } })
  const namesOf = async () => (await (await api()).call(list)).map(({ name }) => name)

  const nameButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const row = (page: Page, name: string) => page.getByRole('row').filter({ has: nameButton(page, name) })
  const shown = (page: Page) => page.getByRole('table', { name: 'Users' }).getByRole('row').locator('[data-row-primary]').allTextContents()
  const choose = async (page: Page, name: string, entry: string) => {
    await page.getByRole('button', { name: `More for ${name}` }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  const openUsers = async (page: Page, search = '') => {
    await page.goto(at(`/web/users${search}`))
    await page.getByRole('table', { name: 'Users' }).locator('[data-row-primary]').first().waitFor()
  }
  const pickRoles = async (page: Page, ...roles: string[]) => {
    for (const role of roles) {
      await page.getByRole('combobox', { name: /^Roles/ }).fill(role)
      await page.getByRole('option', { name: role, exact: true }).click()
    }
    await page.keyboard.press('Tab')
  }
  const linkIn = async (page: Page) => (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
  /** Somebody else opens a link in a browser of their own and sets up password and key. */
  const setUp = async (link: string) => {
    const { page } = await newPerson(browser)
    await plugInKey(page)
    await page.goto(`${link}/continue`)
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('radio', { name: 'Security key' }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: /^Servers/ }).waitFor()
    return page
  }

  test('R0-003, R1-010, R2-013, R2-074: an administrator creates a user, who signs up with the link in another browser', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/account'))
    const management = page.getByRole('navigation', { name: 'Main' })
    await management.getByText('Management', { exact: true }).click()
    await management.getByRole('link', { name: 'Manage Users' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await expect.poll(async () => [page.url(), await page.title()]).toEqual([at('/web/users'), 'Manage Users'])
    await expect.poll(() => management.getByRole('heading').allTextContents()).toContain('Access')

    await page.getByRole('button', { name: 'Create user' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: 'Create user' }).click()
    await panel.getByText('Enter a username').waitFor()
    await panel.getByText('Choose at least one role').waitFor()
    await panel.getByLabel('Username').fill('alice')
    await panel.getByText('A user with this name exists').waitFor()
    await panel.getByLabel('Username').fill('a/b')
    await panel.getByText('Use letters, digits and . _ - @ +').waitFor()
    await panel.getByLabel('Username').fill('erin')
    await pickRoles(page, 'access', 'auditor')
    await panel.getByRole('button', { name: 'Add trait' }).click()
    await panel.getByText('Enter a trait key').waitFor()
    await panel.getByRole('combobox', { name: 'Key' }).fill('logins')
    await panel.getByLabel('Values').pressSequentially('root,')
    await panel.getByLabel('Values').fill('erin')
    await panel.getByLabel('Values').press('Enter')
    await panel.getByRole('button', { name: 'Add another trait' }).click()
    const team = panel.getByRole('group', { name: 'Trait 2' })
    await team.getByRole('combobox', { name: 'Key' }).fill('team')
    await panel.getByRole('group', { name: 'team' }).getByLabel('Values').fill('red')
    await panel.getByRole('group', { name: 'team' }).getByLabel('Values').press('Enter')
    await panel.getByRole('combobox', { name: 'Link is valid for' }).click()
    await page.getByRole('option', { name: '1 day' }).click()
    await panel.getByRole('button', { name: 'Create user' }).click()

    await panel.getByText('Valid for 1 day, once.').waitFor()
    const link = await linkIn(page)
    expect(link).toMatch(new RegExp(`^${world.url}/web/invite/[0-9a-f]{32}$`))
    await panel.getByRole('button', { name: 'Done' }).click()
    await row(page, 'erin').getByText('Invite pending').waitFor()
    await expect
      .poll(() => userOf('erin'))
      .toMatchObject({
        roles: ['access', 'auditor'],
        allTraits: { logins: ['root', 'erin'], team: ['red'] },
        createdBy: 'alice',
      })

    const erin = await setUp(link)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await row(page, 'erin').getByText('Active').waitFor()
    noErrors()
    await erin.context().close()
    await page.context().close()
  })

  test('editing shows what changes and keeps traits of other names; a reset ends sessions and makes a new link', async () => {
    await addUser('frank')
    await (await api()).call(update, { body: { name: 'frank', roles: ['access'], allTraits: { logins: ['frank'], team: ['red'] } } })
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await openUsers(page)
    await choose(page, 'frank', 'Edit…')
    const panel = page.getByRole('dialog')
    await panel.getByRole('button', { name: 'Save user' }).waitFor()
    await expect.poll(() => panel.getByRole('button', { name: 'Save user' }).isDisabled()).toBe(true)
    // The panel begins at the roles. Esc closes it there, without a question: none of them was taken out.
    const roles = panel.getByRole('combobox', { name: /^Roles/ })
    await expect.poll(() => roles.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await choose(page, 'frank', 'Edit…')
    await pickRoles(page, 'auditor')
    await panel.getByRole('button', { name: 'Remove frank' }).click()
    await panel.getByRole('group', { name: 'logins' }).getByLabel('Values').fill('root')
    await panel.getByRole('group', { name: 'logins' }).getByLabel('Values').press('Enter')
    await panel.getByText('+ auditor').waitFor()
    await panel.getByText('+ root').waitFor()
    await panel.getByText('− frank').waitFor()
    await panel.getByRole('button', { name: 'Save user' }).click()
    await page.getByText('User saved').waitFor()
    await row(page, 'frank').getByText('auditor').waitFor()
    await expect.poll(() => userOf('frank')).toMatchObject({ roles: ['access', 'auditor'], allTraits: { logins: ['root'], team: ['red'] } })

    await choose(page, 'frank', 'Edit…')
    await pickRoles(page, 'editor')
    await panel.getByRole('button', { name: 'Cancel' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByText('Discard changes to frank?').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await panel.getByText('+ editor').waitFor()
    await panel.getByRole('button', { name: 'Cancel' }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await panel.waitFor({ state: 'hidden' })

    await choose(page, 'frank', 'Reset sign-in…')
    await page.getByRole('button', { name: 'Make invite link' }).click()
    const frank = await setUp(await linkIn(page))
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await row(page, 'frank').getByText('Active').waitFor()

    await choose(page, 'frank', 'Reset sign-in…')
    await page.getByText('Password and second-factor devices are gone at once').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset sign-in' }).click()
    await page.getByText('Valid for 8 hours, once.').waitFor()
    expect(await linkIn(page)).toContain('/web/reset/')
    await waitForSignIn(frank, world)
    noErrors()
    await frank.context().close()
    await page.context().close()
  })

  test('details show where somebody is signed in; ending it puts them out, and only there', async () => {
    await addUser('gina')
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await openUsers(page)
    await choose(page, 'gina', 'Reset sign-in…')
    await page.getByRole('button', { name: 'Make invite link' }).click()
    const gina = await setUp(await linkIn(page))
    await page.getByRole('button', { name: 'Done' }).click()
    await nameButton(page, 'gina').click()
    const details = page.getByRole('complementary', { name: 'Details' })
    await details.getByText('Chrome on Linux').waitFor()
    expect(new URL(page.url()).searchParams.get('user')).toBe('gina')
    await details.getByText('127.0.0.1').waitFor()
    await details.getByRole('button', { name: 'End sign-in of Chrome on Linux' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'End sign-in' }).click()
    await details.getByText('gina is not signed in anywhere.').waitFor()
    await waitForSignIn(gina, world)
    await expect((await api()).call(userStatus)).resolves.toBeDefined()
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'hidden' })
    noErrors()
    await gina.context().close()
    await page.context().close()
  })

  test('one ends another sign-in of oneself from the account settings; R3-030: who signs in elsewhere has no password here', async () => {
    const elsewhere = await world.signIn('carol')
    const { page, noErrors } = await signedIn(browser, world, 'carol')
    await page.goto(at('/web/account'))
    await page.getByRole('heading', { name: 'Password' }).waitFor()
    const own = page.getByRole('region', { name: 'Where you are signed in' })
    await own.getByText('this one').waitFor()
    const others = own.getByRole('button', { name: /^End sign-in/ })
    const before = await others.count()
    await others.first().click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'End sign-in' }).click()
    // While it asks, nothing behind it is found by its role.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await expect.poll(() => others.count()).toBe(before - 1)
    await expect(elsewhere.call(userStatus)).rejects.toThrow()
    await inspect(page, 'account-sign-ins')
    await page.route('**/context', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), authType: 'sso' } })
    })
    await page.reload()
    await own.waitFor()
    await page.getByText('through an identity provider').waitFor()
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0)
    noErrors()
    await page.context().close()
  })

  test('a user is deleted after a question; nobody deletes themselves', async () => {
    await addUser('henry')
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await openUsers(page)
    await choose(page, 'henry', 'Delete…')
    await page.getByRole('alertdialog').getByText('henry loses access to this cluster').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete user' }).click()
    // While it asks, nothing behind it is found by its role.
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await nameButton(page, 'henry').waitFor({ state: 'detached' })
    expect(await namesOf()).not.toContain('henry')
    await page.getByRole('button', { name: 'More for alice' }).click()
    await expect.poll(() => page.getByRole('menuitem', { name: 'Delete… your own account' }).getAttribute('aria-disabled')).toBe('true')
    noErrors()
    await page.context().close()
  })

  test('the address holds search, filters, order and page; role pills filter', async () => {
    for (let index = 0; index < 25; index += 1) await addUser(`list-${index}`, index % 5 === 0 ? ['access', 'auditor'] : ['access'])
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await openUsers(page)
    await typeSearch(page, 'list-')
    await expect.poll(() => page.url()).toContain('q=list-')
    await row(page, 'list-0').getByRole('button', { name: 'Filter by role auditor' }).click()
    await expect.poll(() => shown(page)).toEqual(['list-0', 'list-5', 'list-10', 'list-15', 'list-20'])
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await expect.poll(() => shown(page)).toEqual(['list-20', 'list-15', 'list-10', 'list-5', 'list-0'])
    const address = page.url()
    await page.goto(at('/web/account'))
    await page.goto(address)
    await expect.poll(() => shown(page)).toEqual(['list-20', 'list-15', 'list-10', 'list-5', 'list-0'])
    await page.getByRole('button', { name: 'Remove filter role: auditor' }).click()
    await page.getByRole('button', { name: 'Page 2' }).click()
    await expect.poll(async () => (await shown(page)).length).toBe(5)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.goto(at('/web/users?q=nobody-at-all&status=active'))
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).first().click()
    await nameButton(page, 'alice').waitFor()
    noErrors()
    await page.context().close()
  })

  test('many at once: invited with their links as a file, roles added and removed, deleted', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await openUsers(page)
    await page.getByRole('button', { name: 'Invite several' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Usernames').fill('many-1\nmany-2, many-3; carol')
    await dialog.getByRole('button', { name: 'Create users' }).click()
    await dialog.getByText('carol: A user with this name exists').waitFor()
    await dialog.getByLabel('Usernames').fill('many-1\nmany-2, many-3')
    await pickRoles(page, 'access')
    await dialog.getByRole('button', { name: 'Create users' }).click()
    await page.getByText('3 users invited').waitFor()
    const saved = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save links as CSV' }).click()
    const csv = await readFile(await (await saved).path(), 'utf8')
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      '"user","link","valid until","problem"',
      expect.stringMatching(/^"many-1","http:\/\/localhost:\d+\/web\/invite\/[0-9a-f]{32}","\d{4}-.*Z",""$/),
    ])
    await dialog.getByRole('button', { name: 'Done' }).click()

    await openUsers(page, '?q=many-')
    await page.getByRole('checkbox', { name: 'Mark many-1' }).check()
    await page.getByRole('button', { name: 'Mark all 3' }).click()
    await page.getByText('3 marked').waitFor()
    await page.getByRole('button', { name: 'Add roles…' }).click()
    await pickRoles(page, 'auditor')
    await dialog.getByText('3 of 3 users would change.').waitFor()
    await dialog.getByRole('button', { name: 'Add roles' }).click()
    await page.getByText('3 users changed').waitFor()
    await expect.poll(() => userOf('many-2')).toMatchObject({ roles: ['access', 'auditor'] })
    await page.getByRole('button', { name: 'Remove roles…' }).click()
    await pickRoles(page, 'access')
    await dialog.getByRole('button', { name: 'Remove roles' }).click()
    await expect.poll(async () => (await userOf('many-3')).roles).toEqual(['auditor'])
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByLabel('Type 3 to confirm').fill('3')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete users' }).click()
    await page.getByText('3 users deleted').waitFor()
    expect((await namesOf()).filter((name) => name.startsWith('many-'))).toEqual([])
    noErrors()
    await page.context().close()
  })

  test('R6-008: people without the right have no such page; R3-029: the user menu names who is signed in', async () => {
    for (const name of ['carol', 'dan'] as const) {
      const { page } = await signedIn(browser, world, name)
      await page.goto(at('/web/users'))
      await page.getByRole('heading', { name: 'Access Denied' }).waitFor()
      await page.getByRole('button', { name: `Account: ${name}` }).waitFor()
      expect(await page.getByRole('link', { name: 'Manage Users' }).count()).toBe(0)
      await page.context().close()
    }
  })

  test('by keyboard alone: a user is found, opened, and the menu reached', async () => {
    await addUser('kim')
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await openUsers(page)
    await typeSearch(page, 'kim')
    await expect.poll(() => shown(page)).toEqual(['kim'])
    await page.keyboard.press('Tab')
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('j')
    await expect.poll(() => row(page, 'kim').evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Details' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Details' }).waitFor({ state: 'hidden' })
    await page.keyboard.press('m')
    await page.getByRole('menuitem', { name: 'Edit…' }).waitFor()
    await page.keyboard.press('Escape')
    noErrors()
    await page.context().close()
  })

  test('ten thousand users stay a page of twenty', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.route('**/v1/webapi/users', (route) =>
      route.fulfill({
        json: Array.from({ length: 10_000 }, (_, index) => ({
          name: `user-${index}`,
          roles: ['access', `team-${index % 40}`],
          authType: 'local',
        })),
      }),
    )
    await openUsers(page)
    await page.getByText('1–20 of 10,000').waitFor()
    await page.getByRole('button', { name: 'Page 2', exact: true }).click()
    await page.getByText('21–40 of 10,000').waitFor()
    // A link shows the same, and Back undoes the step.
    await page.reload()
    await page.getByText('21–40 of 10,000').waitFor()
    await page.goBack()
    await page.getByText('1–20 of 10,000').waitFor()
    await page.getByLabel('Search users').fill('user-99 team-39')
    await page.getByText('1–4 of 4').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(5)
    noErrors()
    await page.context().close()
  })

  test('in both themes, wide and narrow', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await openUsers(page)
    await inspect(page, 'users')
    await nameButton(page, 'alice').click()
    await page.getByRole('heading', { name: 'Signed in' }).waitFor()
    await page.getByRole('complementary', { name: 'Details' }).getByText('127.0.0.1').first().waitFor()
    await inspect(page, 'users-details')
    await page.getByRole('button', { name: 'Close details' }).click()
    await page.getByRole('button', { name: 'Create user' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Username').fill('zoe')
    await pickRoles(page, 'access')
    await panel.getByRole('button', { name: 'Add trait' }).click()
    await panel.getByRole('button', { name: 'Create user' }).click()
    await panel.getByText('Enter a trait key').waitFor()
    await inspect(page, 'users-create')
    await page.getByRole('combobox', { name: /^Roles/ }).fill('a')
    await page.getByRole('option', { name: 'auditor' }).waitFor()
    await inspect(page, 'users-roles')
    await page.context().close()
  })
})
