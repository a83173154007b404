/** Output that wants more than to be read: nothing of it reaches the page, the clipboard or the shell. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { openBrowser } from './browser.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'
import { signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('hostile output', () => {
  let world: World
  let browser: Browser
  let page: Page
  let noErrors: () => void
  let folder: string
  const marker = () => join(folder, 'owned')
  const shows = (text: string | RegExp) => expect.poll(() => screenText(page)).toMatch(text)
  let count = 0
  /** Prints a file, waits for the shell to go on, and takes back whatever was typed without a person. */
  const print = async (...parts: (string | Buffer)[]) => {
    const file = join(folder, 'output')
    await writeFile(file, Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    count += 1
    await typeInTerminal(page, `cat ${file}; printf '\\033c'; echo alive-$((41+${count}))\n`)
    await shows(new RegExp(`^alive-${41 + count}$`, 'm'))
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+c')
        return (await screenText(page)).trimEnd()
      })
      .toMatch(/[$#]$/)
  }

  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    folder = await mkdtemp(join(tmpdir(), 'sallyport-hostile-'))
    browser = await openBrowser()
    ;({ page, noErrors } = await signedIn(browser, world, 'alice'))
    // Sockets of the plain kind can be cut by the test.
    await page.addInitScript(() => Reflect.deleteProperty(window, 'WebSocketStream'))
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  test('neither titles, nor markup, nor the clipboard are written by a program', async () => {
    await page.goto(`${world.url}/web/cluster/${world.cluster}/console/node/${world.agentId}/${ownLogin}`)
    await shows(/[$#]$/m)
    await page.evaluate(() => navigator.clipboard.writeText('mine'))
    const markup = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>'
    await print(
      `\u001b]52;c;${Buffer.from('theirs').toString('base64')}\u0007`,
      `\u001b]0;${markup}${'A'.repeat(100_000)}\u0007`,
      `\u001b]2;\u202e${markup}\u001b\\`,
      `${markup}\n`,
      `\u001b]8;;https://example.com/${markup}\u001b\\${markup}\u001b]8;;\u001b\\\n`,
    )
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')
    expect(await page.evaluate(() => Reflect.get(window, 'owned'))).toBeUndefined()
    await expect.poll(() => page.title()).toBe(`${ownLogin}@${agentHostname} • ${world.cluster}`)
    const tip = await page.getByRole('tab', { selected: true }).getAttribute('title')
    expect(tip?.length).toBeLessThanOrEqual(120)
    expect(tip).not.toMatch(/[\p{Cc}\u202e]/u)
  })

  test('questions, huge sequences, broken text and binary neither type commands nor stop the terminal', async () => {
    const command = `touch ${marker()}`
    await print(
      ...['\r', '\n', ''].map(
        (end) => `\u001bP$q${command}${end}\u001b\\\u001bP+q${command}${end}\u001b\\\u001b]0;${command}${end}\u0007\u001b[21t`,
      ),
      '\u001b[c\u001b[>c\u001b[=c\u001b[5n\u001b[6n\u001b[?6n\u001b[>q\u001b[?2004$p\u001b]10;?\u0007\u001b]4;1;?\u0007\u0005\u001bZ'.repeat(
        50,
      ),
      `\u001b]0;${'x'.repeat(2_000_000)}`,
      '\u001b\\',
      Buffer.from([0xc3, 0x28, 0xf0, 0x9f, 0x92, 0xff, 0xfe, 0x00, 0x9b, 0x63, 0x90, 0x9d, 0x35, 0x32, 0x3b, 0x07]),
      createHash('shake256', { outputLength: 200_000 }).update('binary').digest(),
      '\u0018\u001b\\\u001b[?1000l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[!p',
    )
    expect(existsSync(marker())).toBe(false)
  })

  test('a link shows where it leads, and that no script will be opened; Ctrl and a click open a web address', async () => {
    const links = { good: 'http://127.0.0.1:9/x', bad: 'javascript:window.owned=1' }
    await writeFile(
      join(folder, 'links'),
      Object.entries(links)
        .map(([name, at]) => `\u001b]8;;${at}\u001b\\${name}-link\u001b]8;;\u001b\\\n`)
        .join(''),
    )
    await typeInTerminal(page, `clear; cat ${join(folder, 'links')}\n`)
    // Nothing is drawn any more when the next prompt is there.
    await shows(/^bad-link\n.*[$#]$/m)
    // In one turn of the page, which draws rows anew.
    const at = (text: string) =>
      page.locator('.xterm-rows').evaluate((rows, words) => {
        const spans = [...rows.querySelectorAll('span')].filter((span) => span.textContent === words)
        const { x, y } = spans.at(-1)?.getBoundingClientRect() ?? { x: Number.NaN, y: Number.NaN }
        return { x: x + 20, y: y + 5 }
      }, text)
    const hover = async (text: string, shown: string) => {
      const { x, y } = await at(text)
      const target = page.locator('.link-target')
      // The emulator looks for links when the pointer comes to another line, and not before the page has what it takes.
      await expect
        .poll(async () => {
          await page.mouse.move(x, y + 200)
          await page.mouse.move(x, y)
          await target.waitFor({ timeout: 1000 }).catch(() => undefined)
          return target.allTextContents()
        })
        .toEqual([shown])
    }
    await hover('bad-link', `Not opened: ${links.bad}`)
    await hover('good-link', `Ctrl+click opens ${links.good}`)
    await page.keyboard.down('Control')
    const opened = page.context().waitForEvent('page')
    await page.mouse.click((await at('good-link')).x, (await at('good-link')).y)
    await page.keyboard.up('Control')
    const target = await opened
    expect(page.context().pages()).toHaveLength(2)
    await target.close()
    expect(await page.evaluate(() => Reflect.get(window, 'owned'))).toBeUndefined()
    noErrors()
  })

  test('a session that the proxy closes leaves what was shown and hands it out, and goes on below it', async () => {
    const cuts: (() => Promise<void>)[] = []
    await page.routeWebSocket(/\/connect\?/, (socket) => {
      socket.connectToServer()
      cuts.push(() => socket.close({ code: 3001 }))
    })
    await page.goto(`${world.url}/web/cluster/${world.cluster}/console/node/${world.agentId}/${ownLogin}`)
    await shows(/[$#]$/m)
    await typeInTerminal(page, 'echo before-$((6*7))\n')
    await shows(/^before-42$/m)
    for (const cut of cuts) await cut()
    await page.getByRole('alert').getByText('Disconnected.').waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download output' }).click()
    const download = await saved
    expect(await readFile(await download.path(), 'utf8')).toMatch(/^before-42$/m)
    await page.getByRole('button', { name: 'New session' }).click()
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe(`${ownLogin}@${agentHostname}`)
    await typeInTerminal(page, 'echo again-$((6*7))\n')
    await shows(/before-42[^]*again-42$/m)
  })
})
