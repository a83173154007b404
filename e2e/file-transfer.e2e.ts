/** Files between a browser and a server, beside the terminal. */
import { createHash, randomBytes } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { homedir, userInfo } from 'node:os'
import { basename, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { screenText } from './terminal-screen.ts'
import { signedIn } from './visitor.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe.skipIf(whyNoProgram('chromium'))('files in the console', () => {
  let world: World
  let browser: Browser
  let folder: string
  /** Connections that the proxy has taken. */
  const connections = new Set<Socket>()
  const onConnection = (message: unknown): void => {
    const { socket } = message as { socket: Socket }
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  }
  beforeAll(async () => {
    diagnostics.subscribe('net.server.socket', onConnection)
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
    folder = await mkdtemp(join(homedir(), '.sallyport-e2e-'))
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
    diagnostics.unsubscribe('net.server.socket', onConnection)
  })

  const console_ = (page: Page, search = '') =>
    page.goto(`${world.url}/web/cluster/${world.cluster}/console/node/${world.agentId}/${userInfo().username}${search}`)
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Copy files' })

  test('go up by choice and by drop, come down again byte for byte, and a taken name is the viewer’s to decide', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await console_(page)
    await expect.poll(() => screenText(page)).toMatch(/[$#]$/m)
    const bytes = randomBytes(2_000_003)
    const name = 'ünï & +1 "2" %41.bin'
    const destination = `~/${basename(folder)}/`

    await page.getByRole('button', { name: 'Upload files' }).click()
    const field = dialog(page).getByLabel('Destination folder')
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    await field.fill(destination)
    await dialog(page).getByLabel('Files to upload').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes })
    await dialog(page).getByText('1 of 1 copied').waitFor()
    expect(sha256(await readFile(join(folder, name)))).toBe(sha256(bytes))

    // Over the terminal, with the dialog shown.
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'dropped.txt'))
      data.items.add(new File(['second'], 'ünï & +1 "2" %41.bin'))
      return data
    })
    await page.getByRole('tabpanel').dispatchEvent('drop', { dataTransfer: dropped })
    await dialog(page).getByText('2 of 3 copied').waitFor()
    await dialog(page).getByText('The name is taken on the server.').waitFor()
    await page.mouse.move(200, 700) // off the button, whose tooltip would be in the picture
    await inspect(page, 'file-transfer')
    await dialog(page).getByRole('button', { name: 'Keep both' }).click()
    await dialog(page).getByText('3 of 3 copied').waitFor()
    await expect.poll(() => readFile(join(folder, 'dropped.txt'), 'utf8')).toBe('dropped')
    await expect.poll(() => readFile(join(folder, 'ünï & +1 "2" %41 (1).bin'), 'utf8')).toBe('second')
    expect(sha256(await readFile(join(folder, name)))).toBe(sha256(bytes))

    await dialog(page).getByText('Download', { exact: true }).click()
    const path = dialog(page).getByLabel('File path')
    await path.fill(destination + name)
    const [download] = await Promise.all([page.waitForEvent('download'), path.press('Enter')])
    expect(sha256(await readFile(await download.path()))).toBe(sha256(bytes))
    await dialog(page).getByText('4 of 4 copied').waitFor()
    // What fails says why, in the server's words, and may be tried again.
    await path.fill(`${destination}none`)
    await path.press('Enter')
    await dialog(page).getByText('does not exist on the server').waitFor()
    await writeFile(join(folder, 'none'), 'now')
    const [late] = await Promise.all([
      page.waitForEvent('download'),
      dialog(page)
        .getByRole('button', { name: /^Retry/ })
        .click(),
    ])
    expect(await readFile(await late.path(), 'utf8')).toBe('now')
    await dialog(page).getByText('5 of 5 copied').waitFor()

    // Escape closes what has nothing left to do, and the keys go to the terminal again.
    await path.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.keyboard.type('echo keys-$((6*7))\n')
    await expect.poll(() => screenText(page)).toContain('keys-42')
    noErrors()
    await page.context().close()
  })

  test('a download that breaks off goes on from what came of it', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await console_(page)
    await expect.poll(() => screenText(page)).toMatch(/[$#]$/m)
    // More than a megabyte of it comes, and much more than connections hold on their way is left.
    const bytes = randomBytes(40_000_000)
    await writeFile(join(folder, 'long.bin'), bytes)
    const asked: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().includes('/scp?')) asked.push(request.headers()['range'])
    })
    const devtools = await page.context().newCDPSession(page)
    const throttle = (downloadThroughput: number) =>
      devtools.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput, uploadThroughput: -1 })
    await devtools.send('Network.enable')
    await throttle(1_000_000)
    await page.getByRole('button', { name: 'Download file' }).click()
    const path = dialog(page).getByLabel('File path')
    await path.fill(join(folder, 'long.bin'))
    await path.press('Enter')
    await dialog(page)
      .getByText(/· ([3-9]|[1-9]\d) % ·/)
      .waitFor()
    for (const connection of connections) connection.destroy()
    await throttle(-1)
    const resume = dialog(page).getByRole('button', { name: 'Resume', exact: false })
    await resume.waitFor()
    await dialog(page)
      .getByText(/MB are kept/)
      .waitFor()
    await page.mouse.move(200, 700) // off the button, whose tooltip would be in the picture
    await inspect(page, 'file-transfer-resume')
    const [download] = await Promise.all([page.waitForEvent('download'), resume.press('Enter')])
    expect(sha256(await readFile(await download.path()))).toBe(sha256(bytes))
    expect(asked).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)])
    await page.context().close()
  })

  test('an upload that breaks off goes on with what is missing', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await console_(page)
    await expect.poll(() => screenText(page)).toMatch(/[$#]$/m)
    const bytes = randomBytes(12_000_000)
    const asked: (string | null)[] = []
    page.on('request', (request) => {
      if (request.url().includes('/scp?')) asked.push(new URL(request.url()).searchParams.get('offset'))
    })
    const devtools = await page.context().newCDPSession(page)
    const throttle = (uploadThroughput: number) =>
      devtools.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput })
    await devtools.send('Network.enable')
    await throttle(300_000)
    await page.getByRole('button', { name: 'Upload files' }).click()
    await dialog(page)
      .getByLabel('Destination folder')
      .fill(`~/${basename(folder)}/`)
    await dialog(page).getByLabel('Files to upload').setInputFiles({ name: 'up.bin', mimeType: 'application/octet-stream', buffer: bytes })
    await dialog(page)
      .getByText(/[1-9]\d* % ·/)
      .waitFor()
    await expect.poll(() => statSync(join(folder, 'up.bin'), { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0)
    const resume = dialog(page).getByRole('button', { name: 'Resume up.bin' })
    // A connection that was used before is tried once more by the browser itself.
    await expect
      .poll(() => {
        for (const connection of connections) connection.destroy()
        return resume.isVisible()
      })
      .toBe(true)
    await throttle(-1)
    await resume.press('Enter')
    await dialog(page).getByText('1 of 1 copied').waitFor()
    expect(sha256(await readFile(join(folder, 'up.bin')))).toBe(sha256(bytes))
    expect(asked).toEqual(['0', expect.stringMatching(/^[1-9]\d*$/)])
    await page.context().close()
  })

  test('a menu of the servers opens the dialog; a copy goes on while it is minimised, and is stopped by closing it', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/cluster/${world.cluster}/nodes`)
    await page.getByRole('button', { name: `More for ${agentHostname}` }).click()
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('menuitem', { name: 'Transfer files' }).click(),
    ])
    await dialog(opened).getByLabel('Destination folder').fill(folder)
    const choose = dialog(opened).getByRole('button', { name: 'Choose files' })
    await expect.poll(() => choose.getAttribute('aria-disabled')).toBeNull()
    // The proxy holds the answer back until the test is done with it.
    const held = Promise.withResolvers<void>()
    await opened.route('**/scp?*', async (route) => {
      await held.promise
      await route.continue().catch(() => undefined)
    })
    await dialog(opened)
      .getByLabel('Files to upload')
      .setInputFiles({ name: 'held.txt', mimeType: 'text/plain', buffer: Buffer.from('held') })
    await dialog(opened).getByRole('button', { name: 'Cancel held.txt' }).waitFor()
    await dialog(opened).getByRole('button', { name: 'Minimise' }).click()
    await dialog(opened).waitFor({ state: 'detached' })
    const pill = opened.getByRole('button', { name: /^Files: 0 of 1/ })
    await pill.waitFor()
    await inspect(opened, 'file-transfer-pill')
    await pill.click()
    await dialog(opened).getByRole('button', { name: 'Close' }).click()
    const question = opened.getByRole('alertdialog', { name: 'Stop copying one file?' })
    await question.getByRole('button', { name: 'Stop copying' }).click()
    await dialog(opened).waitFor({ state: 'detached' })
    held.resolve()
    expect(existsSync(join(folder, 'held.txt'))).toBe(false)
    noErrors()
    await page.context().close()
  })
})
