/** A command line without a browser signs in after its user approved it in one. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { inspect, newPerson, openBrowser } from './browser.ts'
import { sallyportAt } from './process.ts'
import { plugInKey } from './visitor.ts'

const password = 'a key opens the gate'

describe.skipIf(whyNoProgram('chromium'))('headless sign-in', () => {
  let world: World
  let browser: Browser
  let home: string
  let page: Page
  let noErrors: () => void
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'sallyport-headless-'))
    world = await createWorld({ people: [] })
    browser = await openBrowser()
    ;({ page, noErrors } = await newPerson(browser))
    await plugInKey(page)
    const { link } = await ask(world.dataDir, adminCalls.addUser, { name: 'gwen', roles: ['access'], logins: ['gwen'] })
    await page.goto(`${link}/continue`)
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('radio', { name: 'Security key' }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: /^Servers/ }).waitFor()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  })

  async function start() {
    const command = sallyportAt(home, 'login', '--proxy', world.url, '--user', 'gwen', '--headless')
    const address = (await command.line(/\/web\/headless\//)).trim()
    return { command, address }
  }
  const dialog = () => page.getByRole('alertdialog', { name: 'Approve sign-in?' })
  const rejectHasFocus = () =>
    expect
      .poll(() =>
        dialog()
          .getByRole('button', { name: 'Reject' })
          .evaluate((button) => button === document.activeElement),
      )
      .toBe(true)

  test('R2-052, R4-039: approving with a key on a page of its own lets the command in', async () => {
    const { command, address } = await start()
    await page.goto(address)
    await dialog().waitFor()
    await expect.poll(() => page.title()).toBe('Approve sign-in')
    expect(await page.getByRole('navigation').count()).toBe(0)
    await dialog().getByText('127.0.0.1').waitFor()
    await rejectHasFocus()
    await dialog().getByRole('button', { name: 'Reject', disabled: false }).waitFor()
    await dialog().getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await command.ended()).toBe(0)
    expect(command.stdout()).toContain('gwen is signed in to')
    expect(await readdir(home)).toContain('known_hosts')
    await inspect(page, 'headless-approved')
    noErrors()
  })

  test('R4-040: rejecting ends the command, from the keyboard alone', async () => {
    const { command, address } = await start()
    await page.goto(address)
    await dialog().getByRole('button', { name: 'Reject', disabled: false }).waitFor()
    await rejectHasFocus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    expect(await command.ended()).toBe(1)
    expect(command.stderr()).toContain('headless authentication failed')
    await page.reload()
    await page.getByRole('heading', { name: 'Looking for the command' }).waitFor()
    noErrors()
  })

  test('an address that no command made says so, and shows no button', async () => {
    await page.goto(`${world.url}/web/headless/nonsense`)
    await page.getByRole('heading', { name: 'This request no longer exists' }).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
  })

  test('a proxy that fails is told apart from a request that is gone, and one that says little is enough', async () => {
    const address = '**/v1/webapi/headless/nonsense'
    await page.route(address, (route) => route.fulfill({ status: 500, body: '<html>' }))
    await page.goto(`${world.url}/web/headless/nonsense`)
    await page.getByRole('heading', { name: 'The command could not be looked up' }).waitFor()
    await page.route(address, (route) => route.fulfill({ json: { client_ip_address: '10.1.2.3:4', public_key: null, state: 0 } }))
    await page.getByRole('button', { name: 'Retry' }).click()
    await dialog().getByText('10.1.2.3').waitFor()
    // Here, since a real request is not open for long.
    await dialog().getByRole('button', { name: 'Reject', disabled: false }).waitFor()
    await inspect(page, 'headless')
    await page.unroute(address)
    noErrors()
  })
})
