/** Integrations: an account at Amazon that is connected, used, changed and deleted. The account is a stand-in that verifies the cluster's tokens by its public documents. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { passwordOf } from '@sallyport/testkit/people.ts'
import type { Name } from '@sallyport/testkit/people.ts'
import { startAws } from '@sallyport/testkit/targets/aws.ts'
import type { AwsStandIn } from '@sallyport/testkit/targets/aws.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'

const roleArn = 'arn:aws:iam::123456789012:role/sallyport'

describe.skipIf(whyNoProgram('chromium'))('integrations', () => {
  let world: World
  let browser: Browser
  let aws: AwsStandIn
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'dan'], settings: { secondFactor: 'off' } })
    browser = await openBrowser()
    aws = await startAws({
      role: { arn: roleArn, issuer: world.url, audience: 'discover.teleport', subject: 'system:proxy' },
      read: async (url) => (await fetch(url)).json(),
      instances: [
        { name: 'orders', engine: 'postgres', address: 'orders.c9akciq32.eu-west-1.rds.amazonaws.com' },
        { name: 'wiki', engine: 'postgres', address: 'wiki.c9akciq32.eu-west-1.rds.amazonaws.com' },
      ],
    })
    for (const service of ['STS', 'RDS']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, aws.origin)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await browser.close()
    await aws[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main' })
  async function signedIn(name: Name) {
    const person = await newPerson(browser)
    const { page } = person
    await page.goto(at('/web/login'))
    await page.getByLabel('Username').fill(name)
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(name))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await navigation(page).waitFor()
    return person
  }
  /** The proxy's answer to who somebody is, with other rights. */
  const withRights = (page: Page, rights: Record<'integrations' | 'plugins', object>) =>
    page.route('**/context', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { userAcl: object }
      await route.fulfill({ response, json: { ...body, userAcl: { ...body.userAcl, ...rights } } })
    })
  const all = { list: true, read: true, edit: true, create: true, remove: true, use: true }
  const none = { list: false, read: false, edit: false, create: false, remove: false, use: false }

  test('R0-003, R1-014, R2-053, R2-054, R2-055, R2-080, R2-081: alice connects an account, sees its databases, changes and deletes it', async () => {
    const { page, noErrors } = await signedIn('alice')
    await navigation(page).getByText('Management', { exact: true }).click()
    await navigation(page).getByRole('link', { name: 'Manage Integrations' }).click()
    await heading(page, 'Integrations')
    await expect.poll(async () => [page.url(), await page.title()]).toEqual([at('/web/integrations'), 'Manage Integrations'])
    await page.getByText('No integrations yet.').waitFor()
    await inspect(page, 'integrations-none')

    await navigation(page).getByRole('link', { name: 'Enroll New Integration' }).click()
    await heading(page, 'Enroll new integration')
    await expect.poll(async () => [page.url(), await page.title()]).toEqual([at('/web/integrations/new'), 'Enroll New Integration'])
    await page.getByRole('button', { name: /Amazon Web Services/ }).click()
    await heading(page, 'Connect an AWS account')
    expect(page.url()).toBe(at('/web/integrations/new/aws-oidc'))
    await expect
      .poll(() => navigation(page).getByRole('link', { name: 'Enroll New Integration' }).getAttribute('aria-current'))
      .toBe('page')
    expect(await navigation(page).getByRole('link', { name: 'Manage Integrations' }).getAttribute('aria-current')).toBeNull()
    await page.getByText(`AWS cannot trust ${world.url}.`).waitFor()
    await page.getByLabel('Integration name').fill('AWS')
    await page.keyboard.press('Enter')
    await page.getByText('Use 3-63 lowercase letters, digits, dashes').waitFor()
    await page.getByLabel('Integration name').fill('aws-production')
    await page.keyboard.press('Enter')
    const script = `${world.url}/v1/webapi/scripts/integrations/configure/awsoidc-idp.sh?integrationName=aws-production&role=sallyport`
    await page.getByText(`bash -c "$(curl -fsSL '${script}')"`).waitFor()
    expect(await (await fetch(script)).text()).toContain('serve this cluster at a public https address')
    await page.getByRole('textbox', { name: 'Role ARN' }).fill('arn:aws:iam::123456789012:role/other')
    await page.keyboard.press('Enter')
    await page.getByText('This is not the ARN of that role').waitFor()
    await inspect(page, 'integration-aws')
    // Leaving now would lose it.
    await navigation(page).getByRole('link', { name: 'Manage Integrations' }).click()
    await page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('textbox', { name: 'Role ARN' }).fill(roleArn)
    await page.keyboard.press('Enter')
    const done = page.getByRole('dialog', { name: 'Integration aws-production created' })
    await done.getByText('AWS account 123456789012 trusts this cluster.').waitFor()
    await inspect(page, 'integration-created')
    await done.getByRole('button', { name: 'See its databases' }).click()

    const databases = page.getByRole('dialog', { name: 'Databases of aws-production' })
    await databases.getByLabel('Region').fill('eu-west-1')
    await page.getByRole('option', { name: 'eu-west-1' }).click()
    await databases.getByRole('button', { name: 'List databases' }).click()
    await databases.getByRole('cell', { name: 'orders', exact: true }).waitFor()
    await databases.getByRole('button', { name: 'Load more' }).click()
    await databases.getByRole('cell', { name: 'wiki', exact: true }).waitFor()
    expect(aws.believed.at(-1)).toMatchObject({ obo: 'user:alice' })
    await inspect(page, 'integration-databases')
    aws.mayList = false
    await databases.getByRole('button', { name: 'List databases' }).click()
    await databases.getByText('The role needs rds:DescribeDBInstances').waitFor()
    aws.mayList = true
    await databases.getByRole('button', { name: 'Close' }).click()

    const row = page.getByRole('table', { name: 'Integrations' }).getByRole('row').filter({ hasText: 'aws-production' })
    await row.getByText('Running').waitFor()
    await row.getByRole('button', { name: 'More for aws-production' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit integration aws-production' })
    await edit.getByLabel('Role ARN').fill('sallyport')
    await page.keyboard.press('Enter')
    await edit.getByText('Enter a role ARN').waitFor()
    await edit.getByLabel('Role ARN').fill(`${roleArn}-2`)
    await page.keyboard.press('Enter')
    await row.getByText(`${roleArn}-2`).waitFor()
    await row.getByRole('button', { name: 'More for aws-production' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page
      .getByRole('alertdialog', { name: 'Delete integration aws-production?' })
      .getByRole('button', { name: 'Delete integration' })
      .click()
    await page.getByText('No integrations yet.').waitFor()
    noErrors()
    await page.context().close()
  })

  test('R6-014, R6-015, R6-029: pages and buttons follow the rights; either right to create shows the button, each tile needs its own', async () => {
    const { page, noErrors } = await signedIn('dan')
    await page.goto(at('/web/integrations'))
    await heading(page, 'Access Denied')
    expect(
      await navigation(page)
        .getByRole('link', { name: /Integration/ })
        .count(),
    ).toBe(0)

    await withRights(page, { integrations: { ...none, list: true, read: true }, plugins: none })
    await page.route('**/sites/*/integrations?*', (route) =>
      route.fulfill({ json: { items: [{ name: 'aws1', subKind: 'aws-oidc' }], nextKey: '' } }),
    )
    await page.reload()
    await heading(page, /^Integrations/)
    await navigation(page).getByRole('link', { name: 'Manage Integrations' }).waitFor()
    expect(await navigation(page).getByRole('link', { name: 'Enroll New Integration' }).count()).toBe(0)
    await page.getByRole('row').filter({ hasText: 'aws1' }).waitFor()
    expect(await page.getByRole('button', { name: 'More for aws1' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Enroll new integration' }).getAttribute('aria-disabled')).toBe('true')
    await page.goto(at('/web/integrations/new'))
    await heading(page, 'Access Denied')

    for (const rights of [
      { integrations: { ...none, list: true, create: true }, plugins: none },
      { integrations: { ...none, list: true }, plugins: { ...none, create: true } },
    ]) {
      await page.unroute('**/context')
      await withRights(page, rights)
      await page.goto(at('/web/integrations'))
      await page.getByRole('main').getByRole('link', { name: 'Enroll new integration' }).click()
      const tile = page.getByRole('button', { name: /Amazon Web Services/ })
      await tile.waitFor()
      await expect.poll(() => tile.isEnabled()).toBe(rights.integrations.create)
      await expect.poll(() => page.getByRole('button', { name: /Slack/ }).isEnabled()).toBe(rights.plugins.create)
      const needed = rights.plugins.create ? 'integration: create' : 'plugin: create'
      await page.getByText(`Needs ${needed}`).first().waitFor()
    }
    await page.goto(at('/web/integrations/new/aws-oidc'))
    await page.getByText('You need permission to create integrations.').waitFor()
    await page.goto(at('/web/integrations/new/fax'))
    await page.getByText('There is no integration of the type fax here.').waitFor()
    noErrors()
    await page.context().close()
  })

  test('plugins of a proxy that has them stand in the same table; what fails of one list hides nothing of the other', async () => {
    const { page, noErrors } = await signedIn('alice')
    await withRights(page, { integrations: all, plugins: all })
    let plugins: { status?: number; json: unknown } = {
      json: { items: [{ name: 'slack-default', kind: 'slack', statusCode: 10, details: 'Posts to #access' }] },
    }
    await page.route('**/sites/*/plugins', (route) => route.fulfill(plugins))
    await page.route('**/sites/*/integrations?*', (route) =>
      route.fulfill({ json: { items: [{ name: 'aws1', subKind: 'aws-oidc', awsoidc: { roleArn } }], nextKey: '' } }),
    )
    await page.goto(at('/web/integrations'))
    const row = (name: string) => page.getByRole('table', { name: 'Integrations' }).getByRole('row').filter({ hasText: name })
    await row('slack-default').getByText('Not in channel').waitFor()
    await row('aws1').getByText('Running').waitFor()
    await inspect(page, 'integrations-and-plugins')
    await page.getByRole('searchbox', { name: 'Search integrations' }).fill('slack')
    await row('aws1').waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search integrations' }).fill('')
    await row('aws1').waitFor()
    plugins = { status: 500, json: { error: { message: 'the store of the plugins is away' } } }
    await page.reload()
    await page.getByText('the store of the plugins is away').waitFor()
    await row('aws1').waitFor()
    // A proxy without the call.
    plugins = { status: 404, json: { error: { message: 'path not found' } } }
    await page.reload()
    await row('aws1').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    noErrors()
    await page.context().close()
  })
})
