/** Roles as an administrator works with them: one document as form and text, its effect before it is saved, and why. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import * as roleCalls from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

const documentOf = (name: string, spec: string): string => `kind: role\nversion: v7\nmetadata:\n  name: ${name}\nspec:\n${spec}`

describe.skipIf(whyNoProgram('chromium'))('roles', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'bob', 'carol', 'dan'] })
    browser = await openBrowser()
    const alice = await clientOf(world, 'alice')
    const make = (name: string, spec: string) => alice.call(roleCalls.create, { body: { content: documentOf(name, spec) } })
    await make('looker', '  allow:\n    rules: [{resources: [role], verbs: [list, read]}]\n')
    await make('helper', '  allow:\n    logins: [help]\n    node_labels: {served: agent}\n')
    await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'looker'] } })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['helper'] } })
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const text = (page: Page): Locator => page.getByRole('textbox', { name: 'YAML of the role' })
  const row = (page: Page, name: string): Locator => page.getByRole('row', { name: new RegExp(`^${name}\\s`) })
  const panel = (page: Page): Locator => page.getByRole('dialog').filter({ hasText: 'Form and YAML' })
  async function open(page: Page, name: string): Promise<void> {
    await page.goto(at(`/web/roles?role=${name}`))
    await text(page).waitFor()
  }
  async function write(page: Page, content: string): Promise<void> {
    await text(page).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(content)
  }
  /** Saves what is stored already, past the look at the changes. */
  async function save(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Save role' }).click()
    await page
      .getByRole('dialog', { name: /^Save role/ })
      .getByRole('button', { name: 'Save role' })
      .click()
  }
  const stored = async (name: string): Promise<string> =>
    (await (await clientOf(world, 'alice')).call(roleCalls.read, { params: { name } })).content

  test('R2-011, R2-075: Manage Roles stands under Access and lists what each role grants', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web'))
    await page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
    await page
      .getByRole('radio', { name: 'Management' })
      .or(page.getByRole('button', { name: 'Management' }))
      .first()
      .click()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Manage Roles' }).click()
    await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor()
    await expect.poll(() => page.title()).toBe('Manage Roles')
    await row(page, 'helper').getByText('ssh').waitFor()
    await row(page, 'access').getByText('preset').waitFor()
    await inspect(page, 'roles')
    await page.getByRole('searchbox', { name: 'Search roles' }).fill('nothing-like-it')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('R0-003, R1-011: a role is made in the form, changed as text and deleted', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/roles'))
    await page.getByRole('button', { name: 'Create role' }).click()
    await page.getByLabel('Name', { exact: true }).fill('helper')
    await page.getByText('There is a role of this name').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('oncall')
    await page.getByRole('tab', { name: 'Resources' }).click()
    await page.getByRole('combobox', { name: 'Logins' }).fill('ops')
    await page.getByRole('combobox', { name: 'Logins' }).press('Enter')
    await page.getByRole('button', { name: 'Add label' }).click()
    await page.getByRole('textbox', { name: 'Key' }).last().fill('team')
    await page.getByRole('textbox', { name: 'Values of team' }).fill('core')
    await page.getByRole('textbox', { name: 'Values of team' }).press('Enter')
    await text(page).getByText('team: core').waitFor()
    await page.getByText('Nobody holds this role yet').waitFor()
    await inspect(page, 'role-editor')
    await page.getByRole('button', { name: 'Save role' }).click()
    await row(page, 'oncall').waitFor()
    await expect.poll(() => stored('oncall')).toContain('team: core')

    await row(page, 'oncall').getByRole('button', { name: 'Edit role oncall' }).click()
    await write(page, documentOf('oncall', '  allow:\n    logins: [ops]\n    node_labels: {team: changed}\n'))
    await panel(page).getByText('Edited, not saved').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByRole('dialog', { name: 'Save role oncall?' }).getByRole('button', { name: 'Save role' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await expect.poll(() => stored('oncall')).toContain('team: changed')

    await page.getByRole('button', { name: 'More for oncall' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('alertdialog', { name: 'Delete role oncall?' }).getByRole('button', { name: 'Delete role' }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await row(page, 'oncall').waitFor({ state: 'detached' })
    noErrors()
    await page.context().close()
  })

  test('form and text are one document: comments, unknown fields and settings without a field stay', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/roles'))
    await page.getByRole('button', { name: 'Edit role helper', exact: true }).click()
    await text(page).waitFor()
    await write(
      page,
      '# for the phone\nkind: role\nmetadata:\n  name: helper # not me\nspec:\n  allow:\n    logins: [help]\n    impersonate: {roles: [robot]}\n    tomorrow: {x: 1}\n',
    )
    await page.getByText('tomorrow is not a known field').first().waitFor()
    await page.getByText('Some settings are only in YAML').click()
    await page.getByText('spec.allow.impersonate.roles').waitFor()
    await page.getByText('spec.allow.tomorrow.x').waitFor()
    await page.getByRole('tab', { name: 'Resources' }).click()
    await page.getByRole('combobox', { name: 'Logins' }).fill('more')
    await page.getByRole('combobox', { name: 'Logins' }).press('Enter')
    await text(page).getByText('logins: [help, more]').waitFor()
    const now = await text(page).innerText()
    for (const part of ['# for the phone', '# not me', 'impersonate', 'tomorrow']) expect(now).toContain(part)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Cancel' }).click()
    await text(page).getByText('logins: [help, more]').waitFor()
    await page.goBack()
    await page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Cancel' }).click()
    await text(page).getByText('logins: [help, more]').waitFor()
    await page.context().close()
  })

  test('who gains and who loses is known before it is saved', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await open(page, 'helper')
    await page.getByText('Nobody gains or loses anything by this change.').waitFor()
    await write(
      page,
      documentOf(
        'helper',
        '  allow:\n    logins: [other]\n    node_labels: {served: agent}\n    rules: [{resources: [lock], verbs: [list]}]\n',
      ),
    )
    const rail = page.getByRole('region', { name: 'Who gains or loses' })
    await rail.getByText('bob').click()
    await rail.getByText(`+ ${agentHostname} as other`).waitFor()
    await rail.getByText('+ lock: list').waitFor()
    await rail.getByText(`− ${agentHostname} as help`).waitFor()
    await rail.getByText('Signs in to servers as other.').waitFor()
    await page.getByRole('button', { name: 'Save role' }).click()
    const review = page.getByRole('dialog', { name: 'Save role helper?' })
    await review.getByText(/1 person gains access, 1 person loses some/).waitFor()
    await review.getByRole('button', { name: 'Keep editing' }).click()
    await page.context().close()
  })

  test('a refusal stands at the line that it is about, before saving is tried', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await open(page, 'helper')
    await write(page, documentOf('helper', "  allow:\n    logins: ['*']\n    node_labels: {served: agent}\n"))
    const problem = page.getByRole('list', { name: 'Problems' }).getByRole('button').filter({ hasText: 'Line 7' })
    await problem.filter({ hasText: 'spec.allow.logins' }).click()
    await page.getByText('It cannot be saved like this.').waitFor()
    await page.context().close()
  })

  test('what changed on the server meanwhile: compare, overwrite', async () => {
    const alice = await clientOf(world, 'alice')
    const { page } = await signedIn(browser, world, 'alice')
    await open(page, 'looker')
    await page.getByLabel('Description').fill('mine')
    const theirs = documentOf('looker', '  allow:\n    rules: [{resources: [role], verbs: [list, read]}]\n').replace(
      'name: looker',
      'name: looker\n  description: theirs',
    )
    await alice.call(roleCalls.update, { params: { name: 'looker' }, body: { content: theirs } })
    await save(page)
    const conflict = page.getByRole('alertdialog', { name: 'This role changed on the server' })
    await conflict.getByRole('button', { name: 'Compare' }).click()
    await conflict.getByText('theirs', { exact: true }).waitFor()
    await conflict.getByRole('button', { name: 'Overwrite' }).click()
    await page.getByText('Role looker saved').waitFor()
    await expect.poll(() => stored('looker')).toContain('description: mine')
    await page.context().close()
  })

  test('the text completes fields and values, and the keyboard gets out of it', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/roles?new=yes'))
    await write(page, 'kind: role\nspec:\n  options:\n    lo')
    await page.keyboard.press('Control+Space')
    // Clicked: Enter counts only after the list has stood for a moment, so that nobody takes an offer by accident.
    await page.getByRole('option', { name: /^lock/ }).click()
    await page.getByRole('option', { name: 'strict' }).click()
    await text(page).getByText('lock: strict').waitFor()
    await page.getByRole('option').waitFor({ state: 'detached' })
    const hasFocus = () => text(page).evaluate((element) => element === document.activeElement)
    await expect.poll(hasFocus).toBe(true)
    // Together: Escape counts for two seconds, which a busy page may be over.
    await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Tab')])
    await expect.poll(hasFocus).toBe(false)
    await text(page).waitFor()
    await page.context().close()
  })

  test('a copy, a comparison, and a role that somebody holds', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/roles'))
    await page.getByRole('button', { name: 'More for helper' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('helper-2')
    await page.getByRole('button', { name: 'Save role' }).click()
    await row(page, 'helper-2').waitFor()
    await page.getByRole('button', { name: 'More for helper', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Compare…' }).click()
    const compare = page.getByRole('dialog', { name: 'Compare helper' })
    await compare.getByRole('textbox', { name: /against helper/ }).waitFor()
    await compare.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'More for helper', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete role helper?' })
    await dialog.getByText('bob').waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete role' }).getAttribute('aria-disabled')).toBe('true')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'More for access' }).click()
    await expect.poll(() => page.getByRole('menuitem', { name: /Delete/ }).getAttribute('aria-disabled')).toBe('true')
    await page.context().close()
  })

  test('an explanation names the role that decided', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/roles'))
    await page.getByRole('button', { name: 'Explain access' }).click()
    const dialog = page.getByRole('dialog', { name: 'Explain access' })
    await dialog.getByLabel('User').fill('bob')
    await dialog.getByLabel('Server', { exact: true }).fill(agentHostname)
    await dialog.getByLabel('Login').fill('help')
    await dialog.getByRole('button', { name: 'Explain', exact: true }).click()
    await dialog.getByText('Allowed.', { exact: true }).waitFor()
    await dialog.getByRole('list', { name: 'What each role said' }).getByText('helper').waitFor()
    await inspect(page, 'explain-access')
    await dialog.getByText('A right').click()
    await dialog.getByRole('button', { name: 'Explain', exact: true }).click()
    await dialog.getByText('Denied.', { exact: true }).waitFor()
    await page.context().close()
  })

  test('who may only read looks at a role and changes nothing', async () => {
    const { page } = await signedIn(browser, world, 'carol')
    await page.goto(at('/web/roles'))
    await expect.poll(() => page.getByRole('button', { name: 'Create role' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'View role helper', exact: true }).click()
    await page.getByText('Read only').waitFor()
    expect(await page.getByRole('button', { name: 'Save role' }).count()).toBe(0)
    await expect.poll(() => page.getByLabel('Description').isDisabled()).toBe(true)
    await text(page).click()
    await page.keyboard.type('nothing')
    expect(await text(page).innerText()).not.toContain('nothing')
    await panel(page).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'More for helper', exact: true }).click()
    await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['View…', 'Compare…'])
    await page.context().close()
  })

  test('R6-009: who may not list roles has neither entry nor page', async () => {
    const { page } = await signedIn(browser, world, 'dan')
    await page.goto(at('/web/roles'))
    await page.getByText('Access Denied').first().waitFor()
    expect(await page.getByRole('link', { name: 'Manage Roles' }).count()).toBe(0)
    await page.context().close()
  })
})
