/** The terminal in a browser under what programs and networks do to it. */
import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser, type newPerson } from './browser.ts'
import { screenText } from './terminal-screen.ts'
import { signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('sshd'))('a terminal', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  async function openTerminal(serverId = world.sshd?.id): Promise<Awaited<ReturnType<typeof newPerson>>> {
    const person = await signedIn(browser, world, 'alice')
    await person.page.goto(`${world.url}/web/cluster/${world.cluster}/console/node/${serverId}/${userInfo().username}`)
    return person
  }
  const prompt = (page: Page) => expect.poll(() => screenText(page)).toMatch(/[$#]$/m)

  test('takes 5 MB of binary output and goes on', async () => {
    const { page, noErrors } = await openTerminal()
    await prompt(page)
    // The screen is put right before the answer is written, for random bytes switch its character set.
    await page.keyboard.type("head -c 5000000 /dev/urandom; printf '\\033c'; echo alive-$((6*7))\n")
    await expect.poll(() => screenText(page)).toContain('alive-42')
    noErrors()
    await page.context().close()
  })

  test('an endless flood is interrupted by a key', async () => {
    const { page, noErrors } = await openTerminal()
    await prompt(page)
    await page.keyboard.type('yes\n')
    await expect.poll(() => screenText(page)).toMatch(/^y\ny\ny$/m)
    await page.keyboard.press('Control+c')
    await page.keyboard.type('echo calm-$((6*7))\n')
    await expect.poll(() => screenText(page)).toContain('calm-42')
    noErrors()
    await page.context().close()
  })

  test('a server that cannot be reached is named, and nothing is left open', async () => {
    const id = randomUUID()
    await world.proxy.inventory.heartbeat({ id, hostname: 'gone', addr: '127.0.0.1:1', tunnel: false, labels: {}, subKind: 'openssh' })
    const { page, noErrors } = await openTerminal(id)
    const alert = page.getByRole('alert')
    await alert.getByText('is not connected; check that its agent is running').waitFor()
    await alert.getByRole('button', { name: 'Try again' }).waitFor()
    await inspect(page, 'terminal-unreachable')
    await alert.getByRole('button', { name: 'Close tab' }).click()
    await page.getByRole('button', { name: 'Start a session' }).waitFor()
    noErrors()
    await page.context().close()
  })
})
