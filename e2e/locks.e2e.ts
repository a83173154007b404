/** Locks, as an administrator places them and as those meet them who are locked out. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin, passwordOf } from '@sallyport/testkit/people.ts'
import type { Name } from '@sallyport/testkit/people.ts'
import { saveDocuments } from '@sallyport/testkit/kube-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import * as lockCalls from '@sallyport/wire/calls/locks.ts'
import { userStatus } from '@sallyport/wire/calls/session.ts'
import type { LockTargets } from '@sallyport/wire/entities/lock.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('locks', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    // Without second factors people sign in as often as they like.
    world = await createWorld({ people: ['alice', 'bob', 'carol'], settings: { secondFactor: 'off' } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    const alice = await clientOf(world, 'alice')
    const params = { clusterId: world.cluster }
    for (const { name } of await alice.call(lockCalls.list, { params }))
      await alice.call(lockCalls.remove, { params: { ...params, uuid: name } })
  })

  const at = (path: string): string => world.url + path
  const place = async (target: LockTargets, more: { message?: string; expires?: string } = {}): Promise<void> => {
    await world.proxy.locks.place({ target, ...more }, 'alice')
  }
  async function signedIn(name: Name) {
    const person = await newPerson(browser)
    const { page } = person
    await page.goto(at('/web/login'))
    await page.getByLabel('Username').fill(name)
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(name))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
    return person
  }
  /** Somebody with a terminal open, and a second tab. */
  async function withTerminal(name: Name) {
    const { page: terminal } = await signedIn(name)
    await terminal.goto(at(`/web/cluster/${world.cluster}/console/node/${world.agentId}/${ownLogin}`))
    // The session runs, however long the shell takes to its prompt.
    await terminal.getByText('Recorded', { exact: true }).waitFor()
    return { terminal, openTab: () => terminal.context().newPage() }
  }
  const row = (page: Page, text: string) => page.getByRole('table', { name: 'Locks' }).getByRole('row').filter({ hasText: text })

  test('R0-003, R1-013, R2-056, R2-057, R2-077, R2-078: bob has a terminal open; alice locks him, and it closes with the reason', async () => {
    const { terminal, openTab } = await withTerminal('bob')
    // Whether he is still signed in every page asks now and then by itself, and leaves: this one is there to be read.
    await terminal.route(`**${userStatus.path}`, (route) => route.fulfill({ json: {} }))
    const { page, noErrors } = await signedIn('alice')
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByText('Management', { exact: true }).click()
    await navigation.getByRole('link', { name: 'Manage Session & Identity Locks' }).click()
    await page.getByRole('heading', { level: 1, name: 'Session & Identity Locks' }).waitFor()
    await expect.poll(async () => [page.url(), await page.title()]).toEqual([at('/web/locks'), 'Manage Session & Identity Locks'])
    await page.getByText('Nothing is locked').waitFor()
    await inspect(page, 'locks-none')

    await page.getByRole('button', { name: 'Add lock' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'New lock' }).waitFor()
    await expect.poll(async () => [page.url(), await page.title()]).toEqual([at('/web/locks/new'), 'Create New Lock'])
    expect(await navigation.getByRole('link', { name: 'Create New Lock' }).count()).toBe(0)
    await page.getByRole('searchbox', { name: 'Search Users' }).fill('bo')
    await page.getByRole('button', { name: 'Add bob' }).click()
    await page.getByText('Targets added (1)').waitFor()
    await inspect(page, 'new-lock')

    await page.getByRole('button', { name: 'Continue to lock' }).click()
    const panel = page.getByRole('dialog', { name: 'Lock 1 target' })
    await panel.getByText(/^1 user is kept out\. \d sign-ins? and 1 terminal will end at once\.$/).waitFor()
    await panel.getByLabel('Message').fill('left the company')
    await panel.getByLabel('Expires').click()
    await page.getByRole('option', { name: 'After…' }).click()
    await panel.getByLabel('Duration').fill('soon')
    await panel.getByRole('button', { name: 'Lock targets' }).click()
    await panel.getByText('Use a duration like 2h45m').waitFor()
    await panel.getByLabel('Duration').fill('2h45m')
    await inspect(page, 'new-lock-panel')
    await panel.getByRole('button', { name: 'Lock targets' }).click()

    await page.getByText('1 target locked').waitFor()
    await expect.poll(() => screenText(terminal)).toContain('lock targeting User:"bob" is in force: left the company')
    // A page of his asks the proxy, and he is signed out.
    const his = await openTab()
    await his.goto(at('/web/account'))
    await his.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await his.getByLabel('Username').fill('bob')
    await his.getByLabel('Password', { exact: true }).fill(passwordOf('bob'))
    await his.getByRole('button', { name: 'Sign in', exact: true }).click()
    await his.getByText('lock targeting User:"bob" is in force: left the company').waitFor()

    await page.getByRole('button', { name: 'Back to locks' }).click()
    await row(page, 'left the company').getByText('in 2 hours').waitFor()
    await page.getByRole('button', { name: 'Remove lock on user: bob' }).click()
    await page.getByRole('alertdialog', { name: 'Remove lock on user: bob?' }).getByRole('button', { name: 'Remove lock' }).click()
    await page.getByText('Nothing is locked').waitFor()
    await his.getByRole('button', { name: 'Sign in', exact: true }).click()
    await his.getByRole('navigation', { name: 'Main' }).waitFor()
    noErrors()
    await terminal.context().close()
    await page.context().close()
  })

  test('a login and a server are locked together; who has a terminal with either loses it and stays signed in', async () => {
    const { terminal, openTab } = await withTerminal('bob')
    const { page, noErrors } = await signedIn('alice')
    await page.goto(at('/web/locks/new?kind=login'))
    await page.getByLabel('Login', { exact: true }).fill('nobody-has-this')
    await page.getByLabel('Login', { exact: true }).press('Enter')
    await page.getByRole('combobox', { name: 'Kind of target' }).click()
    await page.getByRole('option', { name: 'Servers' }).click()
    await page.getByRole('button', { name: `Add ${agentHostname}` }).click()
    await page.getByText('Targets added (2)').waitFor()
    // Leaving now would lose them.
    await page.getByRole('link', { name: 'All locks' }).click()
    await page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Continue to lock' }).click()
    await page.getByRole('dialog', { name: 'Lock 2 targets' }).getByRole('button', { name: 'Lock targets' }).click()
    await page.getByText('2 targets locked').waitFor()
    await expect.poll(() => screenText(terminal)).toContain(`lock targeting Node:"${world.agentId}" is in force`)
    const his = await openTab()
    await his.goto(at('/web/account'))
    await his.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByRole('button', { name: 'Back to locks' }).click()
    for (const what of [`server: ${agentHostname}`, 'login: nobody-has-this']) {
      await page.getByRole('button', { name: `Remove lock on ${what}` }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove lock' }).click()
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      await row(page, what.split(': ')[1] ?? '').waitFor({ state: 'detached' })
    }
    noErrors()
    await terminal.context().close()
    await page.context().close()
  })

  test('a desktop is found by its name and locked', async () => {
    await saveDocuments(world, { kind: 'windows_desktop', version: 'v3', metadata: { name: 'office' }, spec: { addr: '127.0.0.1:9' } })
    const { page, noErrors } = await signedIn('alice')
    await page.goto(at('/web/locks/new?kind=windows_desktop'))
    await page.getByRole('button', { name: 'Add office' }).click()
    await page.getByRole('button', { name: 'Continue to lock' }).click()
    await page.getByRole('dialog', { name: 'Lock 1 target' }).getByRole('button', { name: 'Lock targets' }).click()
    await page.getByText('1 target locked').waitFor()
    await page.getByRole('button', { name: 'Back to locks' }).click()
    await page.getByRole('button', { name: 'Remove lock on desktop: office' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove lock' }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await row(page, 'office').waitFor({ state: 'detached' })
    noErrors()
    await page.context().close()
  })

  test('locking oneself is warned of and has to be typed; nothing is locked without', async () => {
    const { page } = await signedIn('alice')
    await page.goto(at('/web/locks/new?kind=user&target=alice'))
    await page.getByText('Targets added (1)').waitFor()
    await page.getByRole('button', { name: 'Continue to lock' }).click()
    const panel = page.getByRole('dialog', { name: 'Lock 1 target' })
    await panel.getByText('This locks you as well.').waitFor()
    await panel.getByRole('button', { name: 'Lock targets' }).click()
    const question = page.getByRole('alertdialog', { name: 'Lock yourself?' })
    await question.getByLabel('Type alice to confirm').fill('alic')
    await expect.poll(() => question.getByRole('button', { name: 'Lock targets' }).isDisabled()).toBe(true)
    await inspect(page, 'new-lock-oneself')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await panel.getByRole('button', { name: 'Take out alice' }).click()
    await expect
      .poll(() => page.getByRole('dialog', { name: 'Lock 0 targets' }).getByRole('button', { name: 'Lock targets' }).isDisabled())
      .toBe(true)
    await page.context().close()
  })

  /** Expired, and not long enough ago to be forgotten. */
  const anHourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString()

  test('locks are searched, filtered and edited; what has expired says so', async () => {
    await place({ user: 'carol' }, { message: 'on leave' })
    await place({ login: 'backup' }, { expires: anHourAgo(), message: 'maintenance' })
    await place({ role: 'auditor' }, { expires: anHourAgo() })
    await place({ node: '5a2a1f4e-0000-4000-8000-000000000000' }, { expires: new Date(Date.now() + 90 * 60_000).toISOString() })
    const { page, noErrors } = await signedIn('alice')
    await page.goto(at('/web/locks'))
    const rows = page.getByRole('table', { name: 'Locks' }).locator('tbody').getByRole('row')
    await expect.poll(() => rows.count()).toBe(4)
    await inspect(page, 'locks')
    for (const [label, count] of [
      ['Expired', 2],
      ['Permanent', 1],
      ['Active', 1],
      ['All', 4],
    ] as const) {
      await page.getByRole('radio', { name: label }).click()
      await expect.poll(() => rows.count()).toBe(count)
    }
    await page.getByRole('searchbox', { name: 'Search locks' }).fill('user: ca')
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('button', { name: 'Edit lock on user: carol' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit lock on user: carol' })
    await dialog.getByLabel('Message').fill('back in May')
    await dialog.getByRole('button', { name: 'Save lock' }).click()
    await row(page, 'back in May').waitFor()
    noErrors()
    await page.context().close()
  })

  test('R6-011, R6-012: without rights on locks there is no such page, and no way to it', async () => {
    const { page } = await signedIn('bob')
    for (const path of ['/web/locks', '/web/locks/new']) {
      await page.goto(at(path))
      await page.getByRole('heading', { level: 1, name: 'Access Denied' }).waitFor()
    }
    expect(await page.getByRole('link', { name: 'Manage Session & Identity Locks' }).count()).toBe(0)
    await page.context().close()
  })
})
