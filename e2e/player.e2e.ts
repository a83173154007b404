/** The two full pages: the terminal console with its addresses, and the player. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { agentHostname, createWorld, sshdHostname, type World } from '@sallyport/testkit/world.ts'
import { openBrowser } from './browser.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('sshd'))('full pages', () => {
  let world: World
  let browser: Browser
  /** Of a finished session in which `played` was printed. */
  let sid: string
  beforeAll(async () => {
    world = await createWorld({ people: ['bob'] })
    browser = await openBrowser()
    await using terminal = await TerminalClient.open(await clientOf(world, 'bob'), {
      cluster: world.cluster,
      serverId: world.agentId,
      login: ownLogin,
    })
    sid = (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id
    terminal.type("printf 'pl%s\\n' ayed; exit\r")
    await terminal.closed()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const scoped = (path: string): string => `${world.url}/web/cluster/${world.cluster}/${path}`
  const rows = (page: Page): Promise<number> => page.locator('.xterm-rows > div').count()
  const alone = async (page: Page): Promise<void> => {
    await page.getByRole('link', { name: 'Main page' }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  }

  test('R2-026, R2-027, R2-031: the console opens empty, its picker names the servers, and neither stands in the main layout', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await page.goto(scoped('console'))
    await page.getByRole('heading', { name: 'No session is open' }).waitFor()
    await alone(page)
    await page.goto(scoped('console/nodes'))
    await page.getByRole('heading', { name: 'Select a server' }).waitFor()
    for (const hostname of [agentHostname, sshdHostname])
      await page.getByRole('link', { name: `Connect to ${hostname} as ${ownLogin}` }).waitFor()
    await alone(page)
    noErrors()
    await page.context().close()
  })

  test('R2-028: an address of server and login is a shell of that login on that server; a login that no role allows is refused in words', async () => {
    const { page } = await signedIn(browser, world, 'bob')
    await page.goto(scoped(`console/node/${world.sshd?.id}/${ownLogin}`))
    await expect.poll(() => screenText(page)).toMatch(/[$#]\s*$/)
    await typeInTerminal(page, 'echo "I am $(whoami) at ${SSH_CONNECTION##* }"\n')
    await expect.poll(() => screenText(page)).toContain(`I am ${ownLogin} at ${world.sshd?.port}`)
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/console\/session\/[0-9a-f-]{36}$/)
    await page.goto(scoped(`console/node/${world.sshd?.id}/nobody-at-all`))
    await expect.poll(() => screenText(page)).toContain('access to node denied')
    await page.context().close()
  })

  test.each([
    ['R9-001: 1000 lines stay reachable above the screen', undefined, 1000],
    ['R3-012: as many lines stay reachable as the configuration says', { scrollbackLines: 200 }, 200],
  ])('%s', async (_, ui, scrollback) => {
    const { page } = await signedIn(browser, world, 'bob')
    if (ui) await reconfigure(page, { ui })
    await page.goto(scoped(`console/node/${world.agentId}/${ownLogin}`))
    await expect.poll(() => screenText(page)).toMatch(/[$#]\s*$/)
    // The shell itself is replaced, so that no prompt follows: below the last number is one empty line.
    await typeInTerminal(page, 'exec sh -c "seq 2000; sleep 600"\n')
    await expect.poll(() => screenText(page)).toMatch(/^2000$/m)
    const height = await rows(page)
    for (let line = 0; line < 2000; line += height) await page.keyboard.press('Shift+PageUp')
    const first = 2001 - (scrollback + height) + 1
    await expect.poll(async () => (await screenText(page)).split('\n')[0]).toBe(String(first))
    await page.context().close()
  })

  test('R2-032, R2-034: a recording plays on a page of its own, whether or not the address tells its length', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    for (const more of ['', '&durationMs=1500', '&durationMs=soon']) {
      await page.goto(scoped(`session/${sid}?recordingType=ssh${more}`))
      await expect.poll(() => screenText(page)).toContain('played')
      await page.getByRole('slider', { name: 'Position' }).waitFor()
      await alone(page)
    }
    noErrors()
    await page.context().close()
  })

  test('the kind in the address decides what plays; another one is told so', async () => {
    const { page } = await signedIn(browser, world, 'bob')
    await page.goto(scoped(`session/${sid}?recordingType=k8s`))
    await expect.poll(() => screenText(page)).toContain('played')
    await page.goto(scoped(`session/${sid}?recordingType=film`))
    await page.getByText('Unknown recording type “film”').waitFor()
    await page.context().close()
  })
})
