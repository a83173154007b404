/** The terminal in a browser under what programs and networks do to it. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireProgram, whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, keepPicture, openBrowser, wide, type newPerson } from './browser.ts'
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
  const shows = (page: Page, text: string | RegExp) => expect.poll(() => screenText(page)).toMatch(text)
  const rows = (page: Page): Promise<number> => page.locator('.xterm-rows > div').count()
  const sidOf = (page: Page): string => /session\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
  /** Colours of the letters and of what is behind them, in one line of the screen. */
  const colours = (page: Page, line: number): Promise<string[]> =>
    page.evaluate(
      (at) =>
        [...[...document.querySelectorAll('.xterm-rows > div')].at(at)!.querySelectorAll('span')].flatMap(({ className }) =>
          className.split(' ').filter((name) => /^xterm-[bf]g-/.test(name)),
        ),
      line,
    )
  /** Presses the mouse in the middle of a cell. */
  async function click(page: Page, column: number, row: number): Promise<void> {
    const line = page.locator('.xterm-rows > div').nth(row)
    const { width, columns } = await line.evaluate((element) => ({
      width: element.querySelector('span')!.getBoundingClientRect().width / element.querySelector('span')!.textContent.length,
      columns: element.textContent.length,
    }))
    expect(column).toBeLessThan(columns)
    const box = await line.boundingBox()
    if (!box) throw new Error('the line is not drawn')
    await page.mouse.click(box.x + (column + 0.5) * width, box.y + box.height / 2)
  }

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
    await prompt(page)
    await page.keyboard.type('echo calm-$((6*7))\n')
    await expect.poll(() => screenText(page)).toContain('calm-42')
    noErrors()
    await page.context().close()
  })

  test.skipIf(whyNoProgram('tmux'))(
    'tmux splits its window, takes the mouse, follows the size, is left and come back to, and its recording shows it',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sallyport-tmux-'))
      const socket = join(folder, 'tmux')
      await writeFile(
        `${socket}.conf`,
        [
          'set -g mouse on',
          `set -g default-command "env PS1='> ' sh"`,
          'set -g status-right "at-the-right"',
          'set -g set-titles on',
          'set -g set-titles-string "from-tmux-#S"',
          'set -g set-clipboard on',
        ].join('\n'),
      )
      try {
        const { page, noErrors } = await openTerminal(world.agentId)
        await prompt(page)
        await page.evaluate(() => navigator.clipboard.writeText('mine'))
        const title = `${userInfo().username}@${agentHostname} • ${world.cluster}`
        await expect.poll(() => page.title()).toBe(title)
        const tmux = `tmux -S ${socket} -f ${socket}.conf`
        await page.keyboard.type(`${tmux} new -s deck\n`)
        await shows(page, /^>\n[^]*\n\[deck\] 0:sh\*.*at-the-right$/)
        await expect.poll(() => colours(page, -1)).toContain('xterm-bg-2')

        await page.keyboard.press('Control+b')
        await page.keyboard.type('%')
        await shows(page, /^> *│> *\n( *│ *\n)+\[deck\]/)
        await page.keyboard.type('echo right-$((6*7))\n')
        await shows(page, /^ *│right-42$/m)
        // What the pointer is pressed in is what the keys go to.
        await click(page, 3, 4)
        await page.keyboard.type('echo left-$((6*7))\n')
        await shows(page, /^left-42 *│/m)

        const statusLine = async (): Promise<string> => (await screenText(page)).split('\n').at(-1) ?? ''
        const before = (await statusLine()).length
        await page.setViewportSize({ width: 900, height: 600 })
        await expect
          .poll(async () => /^\[deck\].*at-the-right$/.test(await statusLine()) && (await statusLine()).length < before)
          .toBe(true)
        await page.keyboard.type(`${tmux} display -p 'is-#{client_width}x#{client_height}'\n`)
        await shows(page, new RegExp(`^is-${(await statusLine()).length}x${await rows(page)} *│`, 'm'))
        await keepPicture(page, 'terminal-tmux')

        // A program in a pane asks for the clipboard; tmux passes that on, and the terminal does not.
        await page.keyboard.type(`clear; printf '\\033]52;c;${Buffer.from('theirs').toString('base64')}\\a'; echo asked-$((6*7))\n`)
        await shows(page, /^asked-42/m)
        await page.keyboard.press('Control+b')
        await page.keyboard.type('d')
        // With the shell's prompt below it: what is typed before that may go to nobody.
        await shows(page, /\[detached \(from session deck\)\]\n.*[$#]\n*$/)
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')
        await expect.poll(() => page.title()).toBe(title)

        await page.setViewportSize(wide)
        await page.keyboard.type(`${tmux} attach\n`)
        await shows(page, /^asked-42 *│[^]*│right-42[^]*\[deck\]/)
        noErrors()
        const sid = sidOf(page)
        await page.context().close()

        const { page: player, noErrors: noneThere } = await signedIn(browser, world, 'alice')
        await player.goto(`${world.url}/web/cluster/${world.cluster}/session/${sid}?recordingType=ssh`)
        await player.getByRole('slider', { name: 'Position' }).waitFor()
        await player.keyboard.press('End')
        await shows(player, /^asked-42 *│[^]*│right-42[^]*\[deck\]/)
        expect(await player.evaluate(() => navigator.clipboard.readText())).toBe('mine')
        noneThere()
        await player.context().close()
      } finally {
        try {
          execFileSync(requireProgram('tmux'), ['-S', socket, 'kill-server'], { stdio: 'ignore' })
        } catch {
          // It was never started.
        }
        await rm(folder, { recursive: true })
      }
    },
  )

  test.skipIf(whyNoProgram('htop'))('htop draws in colours, hears its keys and the mouse, follows the size and leaves', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-htop-'))
    try {
      const { page, noErrors } = await openTerminal(world.agentId)
      await prompt(page)
      await page.keyboard.type(`HTOPRC=${folder}/htoprc htop\n`)
      await shows(page, /Mem\[[^]*PID[^]*\nF1Help +F2Setup.*F10Quit/)
      await expect.poll(() => colours(page, -1)).toContain('xterm-bg-6')

      await page.keyboard.press('F5')
      await shows(page, /├─/)
      await page.keyboard.press('F5')
      await expect.poll(() => screenText(page)).not.toContain('├─')
      const header = (text: string): [number, string] => {
        const lines = text.split('\n')
        const at = lines.findIndex((line) => /\bPID\b.*\bCommand\b/.test(line))
        return [at, lines[at] ?? '']
      }
      const [line, titles] = header(await screenText(page))
      expect(titles).not.toMatch(/MEM%[△▽]/)
      await click(page, titles.indexOf('MEM%') + 1, line)
      await shows(page, /MEM%▽/)
      await keepPicture(page, 'terminal-htop')

      const before = await rows(page)
      await page.setViewportSize({ width: 900, height: 600 })
      await expect.poll(() => rows(page)).toBeLessThan(before)
      await expect.poll(async () => (await screenText(page)).split('\n').at(-1)).toMatch(/^F1Help/)
      await page.keyboard.press('F10')
      await shows(page, /[$#]\s*$/)
      expect(await screenText(page)).not.toContain('F10Quit')
      noErrors()
      await page.context().close()
    } finally {
      await rm(folder, { recursive: true })
    }
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
