/** From a word on some screen to the moment it was there. */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { callPath } from '@sallyport/wire/call.ts'
import { outline, search } from '@sallyport/wire/calls/recordings.ts'
import { recordingStream } from '@sallyport/wire/calls/playback.ts'
import { inspect, narrow, openBrowser, wide } from './browser.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('recordings', () => {
  let world: World
  let browser: Browser
  let sid: string
  beforeAll(async () => {
    world = await createWorld({ people: ['bob', 'dan'] })
    browser = await openBrowser()
    const bob = await clientOf(world, 'bob')
    await using terminal = await TerminalClient.open(bob, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
    sid = (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id
    // Enough output for several key frames, with a word in the middle of it that stays on the screen for a while.
    // A command as a shell tells of it that marks its prompts; late enough that a player at the start has not passed it.
    terminal.type(String.raw`sleep 3; printf '\033]133;A\007$ \033]133;B\007make all\r\n\033]133;C\007\033]133;D;2\007told\r\n'` + '\r')
    // All of it: the window changes after the command, not within.
    await terminal.see('\u0007told')
    terminal.resize(100, 30)
    terminal.type("seq 150000; printf 'the nee%s\\n' dle; sleep 0.5; seq 150000; printf 'the e%s\\n' nd; exit\r")
    await terminal.closed()
    const params = { clusterId: world.cluster }
    await vi.waitFor(() => bob.call(outline, { params: { ...params, sid } }), { timeout: 240_000 })
    // Its words are found a moment later than it plays.
    const find = async (query: string) => expect((await bob.call(search, { params, query: { query, sid } })).hits).not.toEqual([])
    await vi.waitFor(() => find('the needle'), { timeout: 240_000 })
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const scoped = (path: string): string => `${world.url}/web/cluster/${world.cluster}/${path}`
  const onlyWhile = async <T>(page: Page, act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } finally {
      await page.context().close()
    }
  }

  test('what was on a screen is found from the list of recordings and opens the player at that moment', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await onlyWhile(page, async () => {
      await page.goto(scoped('recordings'))
      await page.getByRole('radio', { name: 'Screens' }).click()
      await page.getByText('What was on the screen?').waitFor()
      await page.getByRole('searchbox', { name: 'Search recordings' }).fill('the need')
      const hit = page.getByRole('row', { name: /the needle/ }).first()
      await hit.waitFor()
      await inspect(page, 'recordings-search')
      const opened = page.context().waitForEvent('page')
      await hit.getByRole('link', { name: /^Play session of bob/ }).click()
      const player = await opened
      await expect.poll(() => screenText(player)).toMatch(/the needle|\d{3,}/)
      // What was looked for is looked for there, too, and leads to its moment.
      const output = player.getByRole('complementary', { name: 'Recording' })
      await output
        .getByRole('button', { name: /the needle/ })
        .last()
        .click()
      await expect.poll(() => screenText(player)).toMatch(/the needle$/m)
      await inspect(player, 'player-found')
      await page.getByRole('searchbox', { name: 'Search recordings' }).fill('never printed')
      await page.getByText('Nothing matches').waitFor()
      noErrors()
    })
  })

  test('a seek fetches the key frame and what follows it, not what came before', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await onlyWhile(page, async () => {
      const fetched: number[] = []
      page.on('response', (response) => {
        if (response.url().includes(`${sid}/stream`)) fetched.push(Number(new URL(response.url()).searchParams.get('offset')))
      })
      await page.goto(scoped(`session/${sid}?recordingType=ssh&t=99999`))
      await expect.poll(() => screenText(page)).toContain('the end')
      expect(Math.min(...fetched)).toBeGreaterThan(0)
      await page.getByRole('slider', { name: 'Position' }).focus()
      await page.keyboard.press('Home')
      await expect.poll(() => screenText(page)).not.toContain('the end')
      await expect.poll(() => fetched).toContain(0)
      noErrors()
    })
  })

  test('a recording is downloaded as asciicast and as text', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await onlyWhile(page, async () => {
      await page.goto(scoped(`session/${sid}?recordingType=ssh&t=99999`))
      await expect.poll(() => screenText(page)).toContain('the end')
      for (const [item, ending, content] of [
        ['Download as asciicast', 'cast', /^\{"version":2,/],
        ['Download as text', 'txt', /^the needle$/m],
      ] as const) {
        await page.getByRole('button', { name: 'Menu' }).click()
        const download = page.waitForEvent('download')
        await page.getByRole('menuitem', { name: item }).click()
        expect((await download).suggestedFilename()).toBe(`${sid}.${ending}`)
        expect(await readFile(await (await download).path(), 'utf8')).toMatch(content)
      }
      noErrors()
    })
  })

  test('commands and changes of the window are marks that the keyboard goes to, and are listed beside the recording', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'bob')
    await onlyWhile(page, async () => {
      await page.goto(scoped(`session/${sid}?recordingType=ssh&t=99999`))
      await expect.poll(() => screenText(page)).toContain('the end')
      const panel = page.getByRole('complementary', { name: 'Recording' })
      await panel.getByRole('tab', { name: 'Marks' }).click()
      await panel.getByRole('button', { name: /make all \(ended with 2\)/ }).waitFor()
      await page.getByRole('slider', { name: 'Position' }).focus()
      await page.keyboard.press('Home')
      await page.keyboard.press('n')
      const chosen = panel.getByRole('button').and(page.locator('[aria-current=true]'))
      await expect.poll(() => chosen.innerText()).toContain('make all (ended with 2)')
      await expect.poll(() => screenText(page)).not.toContain('the end')
      await panel.getByRole('button', { name: 'Window 100 × 30' }).waitFor()
      const marks = page.getByRole('toolbar', { name: 'Marks' })
      await marks.getByRole('button').first().hover()
      await page.getByRole('tooltip').getByText('make all (ended with 2)').waitFor()
      await marks.getByRole('button').first().focus()
      await page.keyboard.press('End')
      await page.getByRole('tooltip').getByText('bob left').waitFor()
      await page.mouse.move(0, 0)
      await page.keyboard.press('Escape')
      await expect.poll(() => page.getByRole('tooltip').count()).toBe(0)
      await inspect(page, 'player-marks')
      await page.setViewportSize(narrow)
      await expect
        .poll(async () => {
          const last = await marks.getByRole('button').last().boundingBox()
          return last && last.x + last.width
        })
        .toBeLessThanOrEqual(narrow.width - 8)
      await page.setViewportSize(wide)
      noErrors()
    })
  })

  test('a session that still runs is watched as it goes on, until it ends', async () => {
    const bob = await clientOf(world, 'bob')
    await using terminal = await TerminalClient.open(bob, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
    const running = (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id
    const recorded = async (text: string): Promise<void> => {
      terminal.type(`printf 'so %s\\n' ${text}\r`)
      await expect
        .poll(async () => (await bob.fetch(callPath(recordingStream.path, { clusterId: world.cluster, sid: running }))).text())
        .toContain(`so ${text}`)
    }
    await recorded('far')
    const { page: list, noErrors } = await signedIn(browser, world, 'bob')
    await onlyWhile(list, async () => {
      await list.goto(scoped('sessions'))
      await list.getByRole('button', { name: 'More for the session of bob on this-machine' }).click()
      const opened = list.context().waitForEvent('page')
      await list.getByRole('menuitem', { name: 'Watch recording' }).click()
      const page = await opened
      await expect.poll(() => page.url()).toBe(scoped(`session/${running}?recordingType=ssh`))
      await expect.poll(() => screenText(page)).toContain('so far')
      const live = page.getByRole('button', { name: 'Live', pressed: true })
      await live.waitFor()
      await recorded('good')
      await expect.poll(() => screenText(page)).toContain('so good')
      await inspect(page, 'player-live')
      // Stopped first: from its beginning it would soon have played up to the same words.
      await page.keyboard.press('Space')
      await page.getByRole('button', { name: 'Live', pressed: false }).waitFor()
      await page.keyboard.press('Home')
      await expect.poll(() => screenText(page)).not.toContain('so good')
      await recorded('on')
      await page.getByRole('button', { name: 'Live', pressed: false }).click()
      await expect.poll(() => screenText(page)).toContain('so on')
      terminal.type('exit\r')
      await terminal.closed()
      await page.getByRole('button', { name: 'Play again' }).waitFor()
      await live.waitFor({ state: 'detached' })
      noErrors()
    })
  })

  test('who may not watch recordings is told so', async () => {
    const { page } = await signedIn(browser, world, 'dan')
    await onlyWhile(page, async () => {
      await page.goto(scoped(`session/${sid}?recordingType=ssh`))
      await page.getByText('access denied to perform action "read" on "session"').waitFor()
      await inspect(page, 'player-refused')
    })
  })
})
