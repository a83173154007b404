/** Plugins: Slack is connected, tells of a request, is changed and deleted. The workspace is a stand-in that speaks Slack's documented HTTP. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwordOf } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startSlack } from '@sallyport/testkit/targets/slack.ts'
import type { SlackStandIn } from '@sallyport/testkit/targets/slack.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'

describe.skipIf(whyNoProgram('chromium'))('plugins', () => {
  let world: World
  let browser: Browser
  let slack: SlackStandIn
  beforeAll(async () => {
    slack = await startSlack()
    world = await createWorld({ people: ['alice'], settings: { secondFactor: 'off', slackApi: slack.api } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await slack[Symbol.asyncDispose]()
  })

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  async function signedIn() {
    const person = await newPerson(browser)
    const { page } = person
    await page.goto(`${world.url}/web/login`)
    await page.getByLabel('Username').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill(passwordOf('alice'))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    return person
  }

  test('R2-096: alice connects Slack, tests it before she saves it, sees how it is, changes and deletes it', async () => {
    slack.channels.set('access', true).set('dba', false)
    const { page, noErrors } = await signedIn()
    await page.goto(`${world.url}/web/integrations/new`)
    await page.getByRole('list', { name: 'Integrations to enroll' }).getByRole('button', { name: /Email/ }).waitFor()
    await inspect(page, 'plugin-tiles')
    await page.getByRole('button', { name: /Slack/ }).click()
    await heading(page, 'Connect Slack')
    const token = page.getByLabel('Bot token')
    await token.fill('xoxp-mine')
    await page.keyboard.press('Enter')
    await page.getByText('Use the bot token, which begins with xoxb-').waitFor()
    await inspect(page, 'plugin-connect')
    await token.fill('xoxb-wrong')
    await page.keyboard.press('Enter')

    const recipients = page.getByLabel('Recipients')
    await recipients.fill('not a channel')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('write a channel, such as #access-requests').waitFor()
    await page.getByRole('button', { name: 'Remove not a channel' }).click()
    await recipients.fill('#access')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Others for a role' }).click()
    const row = page.getByRole('group', { name: 'Role 1' })
    await row.getByLabel('For the role').fill('dba')
    await page.getByRole('group', { name: 'dba' }).getByLabel('Tell instead').fill('#dba')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Continue' }).click()

    await expect.poll(() => page.getByLabel('Send a test message to').inputValue()).toBe('#access')
    await page.getByRole('button', { name: 'Send test message' }).click()
    await page.getByText('Slack refuses the token (invalid_auth).').waitFor()
    await inspect(page, 'plugin-test-refused')
    await page.getByRole('button', { name: 'Edit' }).first().click()
    await token.fill(slack.token)
    await page.keyboard.press('Enter')
    // Both steps have a button of that name.
    await recipients.waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Send test message' }).click()
    await page.getByText('A test message went to #access.').waitFor()
    expect(slack.posts.map(({ channel }) => channel)).toEqual(['#access'])
    await inspect(page, 'plugin-tested')
    await page.getByRole('button', { name: 'Create plugin' }).click()

    await heading(page, /^Integrations/)
    const plugin = page.getByRole('table', { name: 'Integrations' }).getByRole('row').filter({ hasText: 'slack' })
    await plugin.getByText('Running').waitFor()
    await plugin.getByText('Tells #access and 1 more').waitFor()
    await inspect(page, 'plugins-list')

    await plugin.getByRole('button', { name: 'More for slack' }).click()
    await page.getByRole('menuitem', { name: 'Settings…' }).click()
    const settings = page.getByRole('dialog', { name: 'Settings of slack' })
    await expect.poll(() => settings.getByLabel('Bot token').inputValue()).toBe('')
    await settings.getByLabel('Send a test message to').fill('#dba')
    await settings.getByRole('button', { name: 'Send test message' }).click()
    await settings.getByText('The bot is not in #dba. Invite it there').waitFor()
    await inspect(page, 'plugin-settings')
    await settings.getByRole('button', { name: 'Remove dba' }).click()
    await settings.getByRole('button', { name: 'Save' }).click()
    await settings.waitFor({ state: 'detached' })
    await plugin.getByText('Tells #access', { exact: true }).waitFor()

    slack.token = 'xoxb-another'
    await plugin.getByRole('button', { name: 'More for slack' }).click()
    await page.getByRole('menuitem', { name: 'Settings…' }).click()
    await settings.getByRole('button', { name: 'Save' }).click()
    await plugin.getByText('Unauthorized').waitFor()
    await plugin.getByText('Slack refuses the token (invalid_auth).').waitFor()
    await inspect(page, 'plugin-unauthorized')

    await plugin.getByRole('button', { name: 'More for slack' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('alertdialog', { name: 'Delete plugin slack?' }).getByRole('button', { name: 'Delete plugin' }).click()
    await page.getByText('No integrations yet.').waitFor()
    noErrors()
    await page.context().close()
  })

  test('a mail server and Mattermost are asked for what they need; leaving asks first', async () => {
    const { page, noErrors } = await signedIn()
    await page.goto(`${world.url}/web/integrations/new/mattermost`)
    await page.getByLabel('Server address').fill('http://chat.example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Enter the token of the bot').waitFor()
    await inspect(page, 'plugin-mattermost')
    await page.goto(`${world.url}/web/integrations/new/email`)
    await page.getByRole('combobox', { name: 'Encryption' }).click()
    await page.getByRole('option', { name: 'TLS from the start' }).click()
    await expect.poll(() => page.getByLabel('Port', { exact: true }).inputValue()).toBe('465')
    await page.getByLabel('Mail server').fill('smtp.example.com')
    await page.getByLabel('Sender').fill('sallyport@example.com')
    await page.keyboard.press('Enter')
    await page.getByLabel('Recipients').waitFor()
    await inspect(page, 'plugin-mail')
    await page.getByRole('button', { name: 'Other integrations' }).click()
    await page.getByRole('alertdialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Leave page' }).click()
    await heading(page, 'Enroll new integration')
    noErrors()
    await page.context().close()
  })
})
