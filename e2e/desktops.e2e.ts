/** Desktops in a browser: the list, a session that shows what is typed, and its recording. */
import { ask } from '@sallyport/cli/admin-client.ts'
import type { ApiClient } from '@sallyport/testkit/api-client.ts'
import { withKey } from '@sallyport/testkit/key-holder.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startXrdp, whyNoDrives, whyNoXrdp } from '@sallyport/testkit/targets/xrdp.ts'
import type { DesktopServer } from '@sallyport/testkit/targets/xrdp.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import type { World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { searchSessions } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspect, keepPicture, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoXrdp())('desktops', () => {
  let world: World
  let server: DesktopServer
  let browser: Browser
  let olga: ApiClient
  beforeAll(async () => {
    ;[world, server, browser] = await Promise.all([
      createWorld({ people: ['alice'] }),
      startXrdp({ withDrives: !whyNoDrives() }),
      openBrowser(),
    ])
    const spec = { addr: `127.0.0.1:${server.port}`, logins: [{ name: 'lucy', password: server.password }] }
    const document = { kind: 'windows_desktop', metadata: { name: 'office', labels: { floor: '3' } }, spec }
    await ask(world.dataDir, adminCalls.saveResources, { parts: [JSON.stringify(document)], force: false })
    const allow = { windows_desktop_labels: { '*': '*' }, windows_desktop_logins: ['lucy'] }
    const role = { kind: 'role', version: 'v6', metadata: { name: 'desks' }, spec: { allow } }
    await (await clientOf(world, 'alice')).call(createRole, { body: { content: JSON.stringify(role) } })
    olga = (await withKey(world, 'olga', ['auditor', 'desks'])).client
  })
  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  const scoped = (path: string): string => `${world.url}/web/cluster/${world.cluster}/${path}`
  const visit = () => signedIn(browser, world, 'alice', Promise.resolve(olga))
  /** Dark pixels on the screen: the text of a terminal on white. */
  const ink = (page: Page): Promise<number> =>
    page.locator('canvas').evaluate((element: HTMLCanvasElement) => {
      const pixels = element.getContext('2d')?.getImageData(0, 0, element.width, element.height).data ?? []
      let count = 0
      for (let at = 0; at < pixels.length; at += 4) if ((pixels[at] ?? 0) < 128) count += 1
      return count
    })
  /** A screen of which parts are still to come is black there. */
  const mostInk = 50_000
  /** Of a prompt, its cursor and the edge of the window; a single line of pixels that is still to come has more. */
  const mostOfPrompt = 3500
  const inkAbove = (page: Page, least: number, most = mostInk) =>
    expect.poll(async () => [await ink(page)].filter((count) => count > least && count < most), { timeout: 120_000 }).toHaveLength(1)

  /** The pointer stands on nothing that explains itself. */
  async function rest(page: Page): Promise<void> {
    await page.mouse.move(300, 500)
    await expect.poll(() => page.getByRole('tooltip').count()).toBe(0)
  }

  test('R0-002, R1-004, R2-023, R2-025, R2-033, R2-072, R6-006: a desktop is found in the list, opens on a page of its own, shows what is typed, and its recording plays', async () => {
    const { page, noErrors } = await visit()
    await page.goto(scoped('desktops'))
    await page.getByRole('heading', { name: 'Desktops' }).waitFor()
    await expect.poll(() => page.title()).toContain('Desktops')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Desktops' }).waitFor()
    await inspect(page, 'desktops')
    await page.getByRole('button', { name: 'Connect to office' }).click()
    const opening = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'lucy' }).click()
    const desktop = await opening
    await expect.poll(() => new URL(desktop.url()).pathname).toBe(new URL(scoped('desktops/office/lucy')).pathname)
    const screen = desktop.getByRole('application', { name: /Screen of office/ })
    await screen.waitFor()
    await expect.poll(() => desktop.title()).toBe(`${world.cluster} • lucy@office`)
    expect(await desktop.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    await inkAbove(desktop, 20, mostOfPrompt)
    await screen.click({ position: { x: 200, y: 200 } })
    const before = await ink(desktop)
    await desktop.keyboard.type('echo hello from the browser\n')
    await inkAbove(desktop, before + 300)
    await rest(desktop)
    await inspect(desktop, 'desktop')
    await desktop.getByRole('button', { name: 'Disconnect' }).click()
    await desktop.getByRole('heading', { name: 'Disconnected' }).waitFor()
    await keepPicture(desktop, 'desktop-ended')
    await desktop.close()

    // The list is read once: it is opened when the end has been written.
    const alice = await clientOf(world, 'alice')
    const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 3_600_000).toISOString() }
    await expect
      .poll(async () => (await alice.call(searchSessions, { params: { clusterId: world.cluster }, query: range })).events)
      .toMatchObject([{ desktop_name: 'office' }])
    await page.goto(scoped('recordings'))
    const link = page.getByRole('link', { name: /Play/ }).first()
    await link.waitFor()
    const address = await link.getAttribute('href')
    expect(address).toContain('recordingType=desktop')
    await page.goto(world.url + address)
    await page.getByRole('img', { name: 'Recorded screen' }).waitFor()
    await inkAbove(page, before + 300)
    await page.getByRole('button', { name: 'Play again' }).waitFor()
    await inspect(page, 'desktop-player')
    noErrors()
    await page.context().close()
  })
  test.skipIf(whyNoDrives())('R8-079: a directory of the browser is shared with a desktop, used there, and taken back', async () => {
    const { page, noErrors } = await visit()
    // The picker is the browser's own window: a directory of the page's own storage stands for what a person picks.
    await page.addInitScript(() => {
      const pick = async () => {
        const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle('Papers', { create: true })
        const writer = await (await directory.getFileHandle('letter.txt', { create: true })).createWritable()
        await writer.write('dear desk')
        await writer.close()
        return directory
      }
      Object.defineProperty(window, 'showDirectoryPicker', { value: pick, configurable: true })
    })
    await page.goto(scoped('desktops/office/lucy'))
    await page.getByRole('application', { name: /Screen of office/ }).waitFor()
    await inkAbove(page, 20)
    const choose = async (name: RegExp) => {
      await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await choose(/Share directory/)
    await page.getByRole('img', { name: /The desktop can read and change Papers/ }).waitFor()
    await rest(page)
    await inspect(page, 'desktop-sharing')
    const sh = async (script: string) => (await promisify(execFile)('sh', ['-ec', script, 'sh', `${server.drives}/PAPERS`])).stdout
    // The desktop mounts it after it has taken it.
    await expect.poll(() => sh('cat "$1/letter.txt"')).toBe('dear desk')
    await sh('printf answer > "$1/reply.txt"; printf " and more" >> "$1/letter.txt"; mkdir "$1/old"; mv "$1/letter.txt" "$1/old/"')
    expect(await sh('cat "$1/reply.txt" "$1/old/letter.txt"')).toBe('answerdear desk and more')
    const inBrowser = () =>
      page.evaluate(async () => {
        const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle('Papers')
        return (await (await directory.getFileHandle('reply.txt')).getFile()).text()
      })
    await expect.poll(inBrowser).toBe('answer')
    await choose(/Stop sharing Papers/)
    await page.getByRole('img', { name: /No directory is shared/ }).waitFor()
    await expect.poll(() => promisify(execFile)('ls', [server.drives]).then(({ stdout }) => stdout)).toBe('')

    await page.evaluate(() => Object.defineProperty(window, 'showDirectoryPicker', { value: undefined }))
    await choose(/Share directory/)
    await page.getByRole('alert').getByText('This browser cannot share a directory').waitFor()
    await keepPicture(page, 'desktop-no-sharing')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: /Share directory/ }).waitFor()
    await keepPicture(page, 'desktop-menu')
    noErrors()
    await page.context().close()
  })
})
