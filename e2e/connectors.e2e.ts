/** Identity providers as an administrator sets them up, and people signing in through one that is real. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOidcProvider, type OidcTestProvider } from '@sallyport/testkit/providers/oidc.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { createGithub, listOidc, updateGithub } from '@sallyport/wire/calls/connectors.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { clientOf, reconfigure, signedIn } from './visitor.ts'

const accounts = {
  erin: { email: 'erin@example.com', email_verified: true, groups: ['engineers'] },
  frank: { email: 'frank@example.com', email_verified: true, groups: ['guests'] },
}
const github = (team: string): string => `kind: github
version: v3
metadata: {name: octo}
spec:
  client_id: the-id
  client_secret: '********'
  redirect_url: http://localhost/v1/webapi/github/callback
  teams_to_roles: [{organization: acme, team: ${team}, roles: [access]}]
`

describe.skipIf(whyNoProgram('chromium'))('auth connectors', () => {
  let world: World
  let browser: Browser
  let provider: OidcTestProvider
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'carol'] })
    provider = await startOidcProvider({ redirectUrls: [`${world.url}/v1/webapi/oidc/callback`], accounts })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await provider[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const panel = (page: Page) => page.getByRole('dialog').filter({ hasText: 'Save connector' })
  const tiles = (page: Page) => page.getByRole('list', { name: 'Auth connectors' })
  const tag = async (page: Page, label: string, value: string): Promise<void> => {
    await page.getByLabel(label).fill(value)
    await page.keyboard.press('Enter')
  }

  test('R0-003, R1-012: a connector is made, tried before it is saved, and signs people in', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/sso'))
    await page.getByRole('heading', { name: 'Connect your identity provider' }).waitFor()
    await tiles(page).getByText('Local sign-in').waitFor()
    await inspect(page, 'connectors-empty')

    await page.getByRole('button', { name: 'OpenID Connect' }).click()
    await page.getByLabel('Name', { exact: true }).fill('acme')
    await page.getByLabel('Words on the sign-in button').fill('Acme staff')
    await page.getByLabel('Issuer').fill(provider.issuer)
    await page.getByLabel('Client ID').fill(provider.clientId)
    await page.getByLabel('Client secret').fill(provider.clientSecret)
    await tag(page, 'Scopes', 'groups')
    const mapping = page.getByRole('group', { name: 'Mapping 1' })
    await mapping.getByLabel('Value').fill('engineers')
    await mapping.getByLabel('Roles').fill('nobody-knows')
    await page.keyboard.press('Enter')
    await mapping.getByText('There is no role nobody-knows').waitFor()
    await page.keyboard.press('Backspace')

    const [tab] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Test sign-in' }).click()])
    await tab.getByRole('button', { name: 'erin' }).click()
    const outcome = page.getByRole('region', { name: 'Test' })
    await outcome.getByText('erin@example.com would be signed in.').waitFor()
    await outcome.getByRole('row', { name: 'groups: engineers access' }).waitFor()
    await outcome.getByRole('row', { name: 'groups engineers' }).waitFor()
    await tab.close()
    await inspect(page, 'connector-editor')

    await page.getByRole('button', { name: 'Save connector' }).click()
    await tiles(page).getByRole('button', { name: 'acme', exact: true }).waitFor()
    await page.getByRole('button', { name: 'More for acme' }).click()
    await page.getByRole('menuitem', { name: 'Set as default' }).click()
    await tiles(page).getByRole('listitem').filter({ hasText: 'acme' }).getByText('default', { exact: true }).waitFor()
    await inspect(page, 'connectors')
    noErrors()

    const { page: theirs } = await newPerson(browser)
    await theirs.goto(at('/web/login'))
    await theirs.getByRole('button', { name: 'Acme staff' }).click()
    await theirs.getByRole('button', { name: 'erin' }).click()
    await theirs.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
    await theirs.getByRole('button', { name: 'Account: erin@example.com' }).waitFor()
    await theirs.context().close()
    await page.context().close()
  })

  test('a test sign-in that gives no role says so', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/sso/edit/oidc/acme'))
    const [tab] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Test sign-in' }).click()])
    await tab.getByRole('button', { name: 'frank' }).click()
    await page.getByText('The sign-in would fail.').waitFor()
    await page.getByRole('row', { name: 'groups guests' }).waitFor()
    await page.context().close()
  })

  test('the secret comes back masked and stays; a change is looked at before it is saved', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/sso/edit/oidc/acme'))
    await expect.poll(() => page.getByLabel('Client secret').inputValue()).toBe('********')
    await page.getByLabel('Words on the sign-in button').fill('Acme people')
    await page.getByRole('button', { name: 'Save connector' }).click()
    const review = page.getByRole('dialog', { name: 'Save connector acme?' })
    await review.getByText('Acme people').waitFor()
    await review.getByRole('button', { name: 'Save connector' }).click()
    await review.waitFor({ state: 'detached' })
    await panel(page).waitFor({ state: 'detached' })
    const [stored] = await (await clientOf(world, 'alice')).call(listOidc)
    expect(stored?.content).toContain('display: Acme people')
    await page.getByRole('button', { name: 'acme', exact: true }).click()
    const [tab] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Test sign-in' }).click()])
    await tab.getByRole('button', { name: 'erin' }).click()
    await page.getByText('erin@example.com would be signed in.').waitFor()
    await page.context().close()
  })

  test('a refusal stands at the line that it is about', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/sso/new/saml'))
    await page.getByLabel('Name', { exact: true }).fill('corp')
    await page.getByText('acs says something else.').waitFor()
    await page.getByRole('button', { name: 'Use this address' }).click()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Assertion consumer service (ACS)' }).inputValue())
      .toBe(`${world.url}/v1/webapi/saml/acs/corp`)
    await page.getByRole('button', { name: 'Save connector' }).click()
    await page.getByRole('list', { name: 'Problems' }).getByRole('button').first().waitFor()
    await page.context().close()
  })

  test('what changed on the server meanwhile is not overwritten unasked', async () => {
    const alice = await clientOf(world, 'alice')
    await alice.call(createGithub, { body: { content: github('core').replace('********', 'secret') } })
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/sso/edit/github/octo'))
    await page.getByLabel('Client ID').fill('mine')
    await alice.call(updateGithub, { params: { name: 'octo' }, body: { content: github('theirs') } })
    const save = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Save connector' }).click()
      await page
        .getByRole('dialog', { name: /^Save connector/ })
        .getByRole('button', { name: 'Save connector' })
        .click()
    }
    await save()
    const conflict = page.getByRole('alertdialog', { name: 'This connector changed on the server' })
    await conflict.getByRole('button', { name: 'Compare' }).click()
    await conflict.getByText('theirs', { exact: true }).waitFor()
    await conflict.getByRole('button', { name: 'Reload' }).click()
    await expect.poll(() => page.getByLabel('Client ID').inputValue()).toBe('the-id')
    await page.getByLabel('Client ID').fill('mine again')
    await save()
    await page.getByRole('heading', { name: 'octo' }).waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('deleting the default says what sign-in begins with then', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/sso'))
    await page.getByRole('button', { name: 'More for acme' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete connector acme?' })
    await dialog.getByText('Afterwards sign-in begins with local sign-in.').waitFor()
    await dialog.getByRole('button', { name: 'Delete connector' }).click()
    await dialog.waitFor({ state: 'detached' })
    await tiles(page).getByRole('button', { name: 'acme', exact: true }).waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('R2-012, R2-076: the feature stands in the navigation, and its child paths belong to it', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    for (const path of ['/web/sso', '/web/sso/new/github', '/web/sso/edit/github/octo']) {
      await page.goto(at(path))
      await page.getByRole('heading', { level: 1, name: 'Auth connectors', includeHidden: true }).waitFor()
      await expect.poll(() => page.title()).toBe('Manage Auth Connectors')
      const item = page
        .getByRole('navigation', { name: 'Main', includeHidden: true })
        .getByRole('link', { name: 'Manage Auth Connectors', includeHidden: true })
      await expect.poll(() => item.getAttribute('aria-current'), { message: path }).not.toBeNull()
    }
    await page.context().close()
  })

  test('R6-010: who may not list connectors has neither entry nor page', async () => {
    const { page } = await signedIn(browser, world, 'carol')
    await page.goto(at('/web/sso'))
    await page.getByText('Access Denied').first().waitFor()
    expect(await page.getByRole('link', { name: 'Manage Auth Connectors' }).count()).toBe(0)
    await page.context().close()
  })

  test('R6-039: usage-based billing locks the feature', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await reconfigure(page, { isUsageBasedBilling: true })
    await page.goto(at('/web/sso'))
    await page.getByRole('heading', { name: 'Auth connectors are locked' }).waitFor()
    expect(await page.getByRole('button', { name: 'New connector' }).count()).toBe(0)
    await page.context().close()
  })
})
