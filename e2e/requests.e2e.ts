/** Access requests as people live them: asked for, decided, taken up for a while, given back, locked. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addApp } from '@sallyport/testkit/app-browser.ts'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import * as requestCalls from '@sallyport/wire/calls/access-requests.ts'
import * as roleCalls from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('access requests', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'bob', 'carol', 'dan'] })
    browser = await openBrowser()
    const alice = await clientOf(world, 'alice')
    const make = (name: string, spec: object) =>
      alice.call(roleCalls.create, { body: { content: JSON.stringify({ kind: 'role', version: 'v7', metadata: { name }, spec }) } })
    await addApp(world, 'wiki', { uri: 'http://127.0.0.1:1', labels: { team: 'docs' } })
    await make('servers', { allow: { logins: [ownLogin], node_labels: { '*': '*' }, app_labels: { '*': '*' } } })
    const first = { request_access: 'reason', request_prompt: 'Which ticket is it about?' }
    await make('asks-first', { options: first, allow: { request: { roles: ['servers'], suggested_reviewers: ['carol'] } } })
    await make('asks', { allow: { request: { roles: ['servers'], search_as_roles: ['servers'], suggested_reviewers: ['carol'] } } })
    await make('decides', { allow: { review_requests: { roles: ['servers'] } } })
    await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'decides'] } })
    await alice.call(updateUser, { body: { name: 'dan', roles: ['asks'] } })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['asks-first'] } })
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const row = (page: Page, text: string) => page.getByRole('table', { name: 'Access requests' }).getByRole('row').filter({ hasText: text })
  const bar = (page: Page) => page.getByRole('region', { name: 'Assumed access' })

  test('R1-016, R2-093, R2-094: dan asks for a role, carol approves, dan takes it up, reaches the server and gives it back', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'dan')
    await page.goto(at('/web/requests'))
    await page.getByText('No requests yet').waitFor()
    await expect.poll(() => page.title()).toBe('Access Requests')
    await page.getByRole('link', { name: 'New request' }).click()
    await page.getByRole('heading', { level: 1, name: 'New request' }).waitFor()
    await expect.poll(async () => [page.url(), await page.title()]).toEqual([at('/web/requests/new'), 'New Access Request'])
    await page.getByRole('button', { name: 'Add servers' }).click()
    await page.getByText('Selected (1)').waitFor()
    await inspect(page, 'request-new')
    await page.getByRole('button', { name: 'Review request' }).click()
    const checkout = page.getByRole('dialog', { name: 'Request 1 thing' })
    await checkout.getByLabel('Reason').fill('Disk of the build server is full, ticket 4711')
    await checkout.getByText(/would last 1 day 6 hours/).waitFor()
    await inspect(page, 'request-checkout')
    await checkout.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('heading', { name: 'Request sent' }).waitFor()
    await page.getByRole('button', { name: 'View requests' }).click()
    await row(page, 'ticket 4711').getByText('pending').waitFor()

    const { page: reviewing, noErrors: noErrorsThere } = await signedIn(browser, world, 'carol')
    await reviewing.goto(at('/web/requests?show=review'))
    await reviewing.getByRole('link', { name: 'Access Requests 1 to review' }).waitFor()
    await row(reviewing, 'ticket 4711').getByRole('button', { name: 'Review request of dan' }).click()
    await reviewing.getByRole('heading', { name: 'Your review' }).waitFor()
    await inspect(reviewing, 'request-review')
    await reviewing.getByRole('button', { name: 'Submit review' }).click()
    await reviewing.getByText('Choose to approve or to deny').waitFor()
    await reviewing.getByRole('radio', { name: 'Approve for 1 day 6 hours' }).check()
    await reviewing.getByRole('textbox', { name: 'Message' }).fill('go ahead')
    await reviewing.getByRole('button', { name: 'Submit review' }).click()
    await reviewing.getByRole('heading', { name: 'Your review' }).waitFor({ state: 'detached' })
    await reviewing.getByText('go ahead').waitFor()
    noErrorsThere()
    await reviewing.context().close()

    await page.getByRole('button', { name: 'Refresh' }).click()
    await row(page, 'ticket 4711').getByText('approved').waitFor()
    await row(page, 'ticket 4711').getByRole('button', { name: 'Assume request of dan' }).click()
    await bar(page).getByText('servers').waitFor()
    await row(page, 'ticket 4711').getByText('in use').waitFor()
    await row(page, 'ticket 4711').getByRole('button', { name: 'View request of dan' }).click()
    await page.getByRole('heading', { name: 'Reviews' }).waitFor()
    await inspect(page, 'request-in-use')
    await page.goto(at(`/web/cluster/${world.cluster}/nodes`))
    await page.getByRole('table', { name: 'Servers' }).getByText(agentHostname, { exact: true }).waitFor()

    await bar(page).getByRole('button', { name: 'Drop access' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Drop access' }).click()
    await page.getByText('No servers here').waitFor()
    await expect.poll(() => bar(page).count()).toBe(0)
    noErrors()
    await page.context().close()
  })

  test('a server that dan may only ask for stands in the list, and its row leads to the request; a lock on it says so', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'dan')
    await page.goto(at(`/web/cluster/${world.cluster}/nodes`))
    await page.getByRole('checkbox', { name: 'Also what I can request' }).click()
    await page.getByRole('link', { name: `Request access to ${agentHostname}` }).click()
    const checkout = page.getByRole('dialog', { name: 'Request 1 thing' })
    await checkout.getByRole('list', { name: 'Asked for' }).getByText(agentHostname).waitFor()
    await checkout.getByLabel('Reason').fill('look at its logs')
    await checkout.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('button', { name: 'View requests' }).click()
    await row(page, 'look at its logs').getByText(agentHostname).waitFor()

    const { page: locking } = await signedIn(browser, world, 'alice')
    const all = await (await clientOf(world, 'alice')).call(requestCalls.list)
    const id = all.find(({ requestReason }) => requestReason === 'look at its logs')?.id ?? ''
    await locking.goto(at('/web/locks/new?kind=access_request'))
    await locking.getByRole('searchbox', { name: 'Search Access requests' }).fill(id)
    await locking.getByRole('button', { name: `Add ${id.slice(-5)} of dan` }).click()
    await locking.getByRole('button', { name: 'Continue to lock' }).click()
    await locking.getByRole('dialog', { name: 'Lock 1 target' }).getByRole('button', { name: 'Lock targets' }).click()
    await locking.getByText('1 target locked').waitFor()
    await locking.context().close()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await row(page, 'look at its logs').getByText('locked').waitFor()
    noErrors()
    await page.context().close()
  })

  test('an application that dan may only ask for is found by its kind, and in the list of applications', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'dan')
    await page.goto(at('/web/requests/new?kind=app'))
    await page.getByRole('table', { name: 'To ask for: applications' }).getByText('team: docs').waitFor()
    await inspect(page, 'request-new-app')
    await page.goto(at(`/web/cluster/${world.cluster}/apps?requestable=yes`))
    await page.getByRole('link', { name: 'Request access to wiki' }).click()
    const checkout = page.getByRole('dialog', { name: 'Request 1 thing' })
    await checkout.getByText('application', { exact: true }).waitFor()
    await checkout.getByLabel('Reason').fill('read the manual')
    await checkout.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('button', { name: 'View requests' }).click()
    await row(page, 'read the manual').getByText('wiki').waitFor()
    noErrors()
    await page.context().close()
  })

  test('whose roles want a request first gives a reason, waits, and is let in by the approval; a drop leads back', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await page.goto(at('/web/account'))
    await page.getByRole('heading', { name: 'Request access' }).waitFor()
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByText('Say why you need this').waitFor()
    await inspect(page, 'request-first')
    await page.getByLabel('Reason').fill('ticket 12')
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor()
    await inspect(page, 'request-first-waiting')
    const carol = await clientOf(world, 'carol')
    const decide = async (reason: string, state: 'APPROVED' | 'DENIED') => {
      const found = (await carol.call(requestCalls.list)).find((one) => one.requestReason === reason)
      await carol.call(requestCalls.review, { params: { requestId: found?.id ?? '' }, body: { state, reason: 'not today', roles: [] } })
    }
    await decide('ticket 12', 'DENIED')
    await page.getByRole('heading', { name: 'Your request was denied' }).waitFor()
    await page.getByText('carol denied it: not today').waitFor()
    await page.getByLabel('Reason').fill('ticket 13')
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor()
    await decide('ticket 13', 'APPROVED')
    await bar(page).getByText('servers').waitFor()
    await page.getByRole('heading', { name: 'Account' }).first().waitFor()
    await bar(page).getByRole('button', { name: 'Drop access' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Drop access' }).click()
    await page.getByRole('heading', { name: 'Your request is approved' }).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await bar(page).getByText('servers').waitFor()
    noErrors()
    await page.context().close()
  })

  test('R6-024: whoever may not ask has neither button nor form', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'carol')
    await page.goto(at('/web/requests?show=mine'))
    await page.getByText('Nothing matches').waitFor()
    expect(await page.getByRole('link', { name: 'New request' }).count()).toBe(0)
    await page.goto(at('/web/requests/new'))
    await page.getByRole('heading', { name: 'Access Denied' }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('R6-041: where the plan has no access requests, a card stands in their place', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'dan')
    await reconfigure(page, { isUsageBasedBilling: true })
    for (const path of ['/web/requests', '/web/requests/new']) {
      await page.goto(at(path))
      await page.getByRole('heading', { name: 'Access requests are locked' }).waitFor()
    }
    noErrors()
    await page.context().close()
  })
})
