/** Two clusters: one comes to trust the other, and people of the root work at the leaf. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addApp } from '@sallyport/testkit/app-browser.ts'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { isListed, joinToken, trustDocument } from '@sallyport/testkit/trust.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('a root and a leaf', () => {
  let root: World
  let leaf: World
  let browser: Browser
  beforeAll(async () => {
    root = await createWorld({ people: ['alice', 'bob'], settings: { clusterName: 'root' } })
    leaf = await createWorld({ people: ['alice'], settings: { clusterName: 'leaf' } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await leaf[Symbol.asyncDispose]()
    await root[Symbol.asyncDispose]()
  })

  test('R0-003, R2-014, R2-085, R6-018: the leaf trusts the root from its own console; who may not see trust finds no way there', async () => {
    const { page, noErrors } = await signedIn(browser, leaf, 'alice')
    await page.goto(`${leaf.url}/web/users`)
    const clusters = page.getByRole('navigation', { name: 'Main' }).getByRole('region', { name: 'Clusters' })
    await expect.poll(() => clusters.getByRole('link').allInnerTexts()).toEqual(['Manage Clusters', 'Trusted Clusters'])
    await clusters.getByRole('link', { name: 'Trusted Clusters' }).click()
    await page.getByRole('heading', { name: 'No trusted clusters' }).waitFor()
    await expect.poll(() => page.title()).toBe('Trusted Clusters')
    await inspect(page, 'trust-empty')

    await page.getByRole('button', { name: 'Connect to root cluster' }).click()
    const editor = page.getByRole('dialog', { name: 'Connect to root cluster' })
    const text = editor.getByRole('textbox', { name: 'YAML of the trusted cluster' })
    await text.getByText('role_map').first().waitFor()
    const write = async (content: string): Promise<void> => {
      await text.click()
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(content)
    }
    await write(trustDocument({ name: 'root', url: root.url }, 'wrong'))
    await editor.getByRole('button', { name: 'Connect' }).click()
    await editor.getByText('the cluster token has been rejected').waitFor()
    await write(trustDocument({ name: 'root', url: root.url }, await joinToken(await clientOf(root, 'alice'))))
    await editor.getByRole('button', { name: 'Connect' }).click()
    const tile = page.getByRole('list', { name: 'Root clusters' }).getByRole('listitem').first()
    await tile.getByRole('button', { name: 'root', exact: true }).waitFor()
    await tile.getByText('Connected', { exact: true }).waitFor()
    await inspect(page, 'trust')
    noErrors()
    await page.context().close()

    const other = await signedIn(browser, root, 'bob')
    await other.page.goto(`${root.url}/web/cluster/root/nodes`)
    await other.page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor()
    expect(await other.page.getByRole('link', { name: 'Trusted Clusters' }).count()).toBe(0)
    await other.page.goto(`${root.url}/web/trust`)
    await other.page.getByRole('heading', { name: 'Access Denied' }).waitFor()
    await other.page.context().close()
  })

  test('R1-001, R1-015, R2-015, R2-084, R2-090: the root lists its leaf, and alice goes there and opens a shell', async () => {
    const { page, noErrors } = await signedIn(browser, root, 'alice')
    await page.goto(`${root.url}/web/clusters`)
    await page.getByRole('heading', { level: 1, name: 'Manage Clusters' }).waitFor()
    await expect.poll(() => page.title()).toBe('Manage Clusters')
    const rows = page.getByRole('table', { name: 'Clusters' }).getByRole('row')
    await rows.nth(2).waitFor()
    await expect.poll(() => rows.nth(1).innerText()).toContain('root')
    await expect.poll(() => rows.nth(2).innerText()).toContain('leaf')
    await rows.nth(2).getByText('Online').waitFor()
    await inspect(page, 'clusters')

    // Every column keeps the root on top.
    await page.getByRole('button', { name: 'Name' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=name%3Adesc')
    await expect.poll(() => rows.nth(1).innerText()).toContain('root')

    await rows.nth(2).getByRole('link', { name: 'leaf' }).click()
    const details = page.getByRole('dialog', { name: 'Cluster leaf' })
    await details.getByText(new URL(leaf.url).host, { exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/web/clusters/leaf')
    const item = page.locator('nav a', { hasText: 'Manage Clusters' })
    await expect.poll(() => item.getAttribute('aria-current')).toBe('page')
    await inspect(page, 'cluster-details')
    await details.getByRole('link', { name: 'Show servers' }).click()
    await page.getByText('this-machine', { exact: true }).waitFor()
    await expect.poll(() => page.title()).toBe('leaf • Servers')

    const selector = page.getByRole('button', { name: 'Cluster: leaf' })
    await expect.poll(() => page.getByRole('link', { name: 'Active Sessions' }).getAttribute('href')).toBe('/web/cluster/leaf/sessions')
    await selector.click()
    await page.getByRole('menuitem', { name: /^root/ }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/web/cluster/root/nodes')
    await expect.poll(() => page.getByRole('link', { name: 'Active Sessions' }).getAttribute('href')).toBe('/web/cluster/root/sessions')

    await page.goto(`${root.url}/web/cluster/leaf/console/node/${leaf.agentId}/${ownLogin}`)
    await expect.poll(() => screenText(page)).toMatch(/[$#]$/m)
    await expect.poll(() => page.title()).toContain('this-machine')
    await typeInTerminal(page, 'echo $((6000 + 77))\n')
    await expect.poll(() => screenText(page)).toContain('6077')
    await typeInTerminal(page, 'exit\n')
    noErrors()
    await page.context().close()
  })

  test('the commands for one’s own machine name the leaf', async () => {
    await addApp(leaf, 'queue', { uri: 'tcp://127.0.0.1:1' })
    const { page, noErrors } = await signedIn(browser, root, 'alice')
    await page.goto(`${root.url}/web/cluster/leaf/apps`)
    await page.getByRole('button', { name: 'Connect to queue' }).click()
    await page.getByText('sallyport proxy app queue --cluster=leaf', { exact: true }).waitFor()
    await inspect(page, 'leaf-application')
    noErrors()
    await page.context().close()
  })

  test('R6-019: who has no right to trust sees no list of clusters, and reaches the leaf all the same; of one that left they are told', async () => {
    const { page } = await signedIn(browser, root, 'bob')
    await page.goto(`${root.url}/web/cluster/root/nodes`)
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor()
    expect(await page.getByRole('link', { name: 'Manage Clusters' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Cluster: root' }).click()
    await page.getByRole('menuitem', { name: /^leaf/ }).click()
    // Both clusters have a server of that name.
    await expect.poll(() => page.title()).toBe('leaf • Servers')
    await page.getByText('this-machine', { exact: true }).waitFor()

    const administrator = await signedIn(browser, leaf, 'alice')
    await administrator.page.goto(`${leaf.url}/web/trust`)
    await administrator.page.getByRole('button', { name: 'More for root' }).click()
    await administrator.page.getByRole('menuitem', { name: 'Disable…' }).click()
    await administrator.page.getByRole('button', { name: 'Disable', exact: true }).click()
    await administrator.page.getByText('Disabled', { exact: true }).waitFor()

    // The root hears of it a moment later.
    await isListed(await clientOf(root, 'alice'), 'leaf', 'offline')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('is not reachable right now').first().waitFor()
    await page.goto(`${root.url}/web/clusters`)
    await page.getByRole('heading', { name: 'Access Denied' }).waitFor()
    await administrator.page.getByRole('button', { name: 'More for root' }).click()
    await administrator.page.getByRole('menuitem', { name: 'Delete…' }).click()
    await administrator.page.getByRole('alertdialog').getByText('Its users lose access here').waitFor()
    await administrator.page.getByRole('button', { name: 'Remove trust' }).click()
    await administrator.page.getByRole('heading', { name: 'No trusted clusters' }).waitFor()
    await administrator.page.context().close()
    await page.context().close()
  })
})
