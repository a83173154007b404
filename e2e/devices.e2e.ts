/** The screen of trusted devices. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveDocuments } from '@sallyport/testkit/kube-client.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { create, list } from '@sallyport/wire/calls/devices.ts'
import { inspect, keepPicture, openBrowser } from './browser.ts'
import { clientOf, reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('trusted devices', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'bob'] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const at = (path: string): string => world.url + path
  const rows = (page: Page) => page.getByRole('table', { name: 'Trusted devices' }).getByRole('row')
  const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

  test('R2-097: a device is added, its commands copied, another token made, a lock begun for it, and it is removed', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/users'))
    await page.getByRole('link', { name: 'Trusted Devices' }).click()
    await page.getByRole('heading', { level: 1, name: 'Trusted devices' }).waitFor()
    await expect.poll(() => page.title()).toBe('Trusted Devices')
    await page.getByText('No trusted devices').waitFor()
    await inspect(page, 'devices-empty')

    // In the head, and where there is nothing yet.
    await page.getByRole('button', { name: 'Add device' }).last().click()
    const form = page.getByRole('dialog', { name: 'Add device' })
    await form.getByLabel('Asset tag').press('Enter')
    await form.getByText('Enter the serial number').waitFor()
    await inspect(page, 'devices-add')
    await page.keyboard.type('LT-4711')
    await page.keyboard.press('Enter')
    const made = page.getByRole('dialog', { name: 'Device LT-4711 added' })
    await made.getByText('The token works once, for 30 minutes.').waitFor()
    await inspect(page, 'devices-token')
    await made.getByRole('button', { name: 'Copy enroll command' }).click()
    await expect.poll(() => clipboard(page)).toMatch(/^sallyport device enroll --token [\w-]{32}$/)
    const first = await clipboard(page)
    await made.getByRole('button', { name: 'Done' }).click()

    const row = rows(page).nth(1)
    await row.getByText('LT-4711').waitFor()
    for (const text of ['Linux', 'Not enrolled', 'No owner yet', 'Never seen', 'Manual'])
      await row.getByText(text, { exact: true }).waitFor()
    await row.getByRole('button', { name: 'More for LT-4711' }).click()
    await page.getByRole('menuitem', { name: 'Copy enroll token…' }).click()
    const again = page.getByRole('dialog', { name: 'Enroll token for LT-4711' })
    await again.getByRole('button', { name: 'Make token' }).click()
    await again.getByRole('button', { name: 'Copy enroll command' }).click()
    await expect.poll(() => clipboard(page)).not.toBe(first)
    await page.keyboard.press('Escape')

    await row.getByRole('button', { name: 'More for LT-4711' }).click()
    await page.getByRole('menuitem', { name: 'Lock…' }).click()
    await page.getByRole('heading', { level: 1, name: 'New lock' }).waitFor()
    await page.getByRole('button', { name: 'Remove LT-4711' }).first().waitFor()
    await keepPicture(page, 'devices-lock')
    const bar = page.getByRole('group', { name: 'Targets added' })
    await bar.getByText('Targets added (1)').waitFor()
    await bar.getByText('trusted device: LT-4711').waitFor()
    await bar.getByRole('button', { name: 'Clear' }).click()

    await page.goto(at('/web/devices'))
    await row.getByRole('button', { name: 'More for LT-4711' }).click()
    await page.getByRole('menuitem', { name: 'Remove…' }).click()
    await page.getByRole('alertdialog', { name: 'Remove device LT-4711?' }).getByRole('button', { name: 'Remove device' }).click()
    await page.getByText('No trusted devices').waitFor()
    noErrors()
    await page.context().close()
  })

  test('the list is searched and sorted; who may not see it has neither entry nor page', async () => {
    const alice = await clientOf(world, 'alice')
    const params = { clusterId: world.cluster }
    for (const assetTag of ['PF-1', 'PF-2']) await alice.call(create, { params, body: { osType: 'linux', assetTag } })
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const spec = {
      os_type: 'linux',
      asset_tag: 'XC-9',
      owner: 'bob',
      public_key: publicKey.export({ type: 'spki', format: 'pem' }),
      last_seen: '2026-03-05T10:00:00Z',
    }
    await saveDocuments(world, { kind: 'device', version: 'v1', metadata: { name: randomUUID() }, spec })
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/devices'))
    await rows(page).nth(3).waitFor()
    await inspect(page, 'devices-list')
    await page.getByRole('button', { name: 'Asset tag' }).click()
    await expect.poll(() => rows(page).nth(1).innerText()).toContain('XC-9')
    expect(new URL(page.url()).search).toBe('?sort=tag%3Adesc')
    await page.goBack()
    await expect.poll(() => rows(page).nth(1).innerText()).toContain('PF-1')
    await page.goForward()
    await expect.poll(() => rows(page).nth(1).innerText()).toContain('XC-9')
    for (const text of ['Enrolled', 'bob', 'Mar 05, 2026']) await rows(page).nth(1).getByText(text, { exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search devices' }).fill('not enrolled')
    await expect.poll(() => rows(page).count()).toBe(3)
    await page.getByRole('searchbox', { name: 'Search devices' }).fill('nothing like that')
    await page.getByText('No device is like that.').waitFor()
    noErrors()
    await page.context().close()
    const other = (await signedIn(browser, world, 'bob')).page
    await other.goto(at('/web/devices'))
    await other.getByRole('heading', { name: 'Access Denied' }).waitFor()
    await other.context().close()
    expect((await alice.call(list, { params })).items).toHaveLength(3)
  })

  test('R6-043: usage-based billing locks the feature', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await reconfigure(page, { isUsageBasedBilling: true, contactUrl: 'mailto:plans@example.com' })
    await page.goto(at('/web/devices'))
    await page.getByRole('heading', { name: 'Trusted devices are locked' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add device' }).count()).toBe(0)
    await keepPicture(page, 'devices-locked')
    noErrors()
    await page.context().close()
  })
})
