/** The assistant: asked, answering, proposing commands, and running them on real servers. The model is a stand-in. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { calls, refuses, says, stalls, startModel } from '@sallyport/testkit/targets/model.ts'
import type { StandInModel } from '@sallyport/testkit/targets/model.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { storageKeys } from '@sallyport/wire/limits.ts'
import { inspect, openBrowser } from './browser.ts'
import { reconfigure, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('the assistant', () => {
  let world: World
  let model: StandInModel
  let browser: Browser
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    model = opened.use(await startModel())
    world = opened.use(await createWorld({ people: ['alice', 'bob'], settings: { assistAddress: model.address, assistModel: 'stand-in' } }))
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  const field = (page: Page) => page.getByRole('textbox', { name: 'Ask the assistant' })
  const ask = async (page: Page, text: string): Promise<void> => {
    await field(page).fill(text)
    await field(page).press('Enter')
  }
  /** A conversation is named after its first answer, by a request of its own: nobody else gets the reply that is meant for it. */
  const isNamed = (page: Page, title: string) => page.getByRole('heading', { level: 1, name: title }).waitFor()
  const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)
  const begin = async (page: Page): Promise<void> => {
    await page.goto(`${world.url}/web/assist`)
    await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor()
  }

  test('R1-019, R2-004, R2-005: asked, it answers and proposes a command, which runs as changed; all of it is there after a reload', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await begin(page)
    await expect.poll(() => page.title()).toContain('Assist')
    await page.getByText('No conversations yet').waitFor()
    await inspect(page, 'assist-landing')

    model.replies = [
      calls('list_servers', { search: 'disk' }),
      calls(
        'propose_command',
        { command: 'df -h', nodes: [agentHostname] },
        '**Let us look** at the disks:\n\n1. how full they are\n2. what fills them\n\n```sh\ndf -h\n```',
      ),
      says('Space on the disks'),
    ]
    await ask(page, 'Is there space left?')
    const card = page.getByRole('region', { name: 'Proposed command' })
    await card.getByText('1 server', { exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/web\/assist\/[0-9a-f-]{36}$/)
    await isNamed(page, 'Space on the disks')
    await expect.poll(() => card.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('df -h')
    await expect.poll(() => card.getByRole('combobox', { name: 'Run on' }).inputValue()).toBe(`name == "${agentHostname}"`)
    await page.getByRole('listitem').getByText('how full they are').waitFor()
    await inspect(page, 'assist-proposal')

    // What runs is what stands in the card.
    await card.getByRole('combobox', { name: 'Run on' }).fill('labels["env"] == ')
    await card.getByRole('textbox', { name: 'Command' }).focus()
    await card.getByText('This query is not valid').waitFor()
    await card.getByRole('combobox', { name: 'Run on' }).fill('labels["env"] == "test"')
    await card.getByRole('textbox', { name: 'Command' }).fill('echo changed; exit 3')
    await card.getByText(world.sshd ? '2 servers' : '1 server', { exact: true }).waitFor()
    await card.getByText(agentHostname).waitFor()
    model.replies = [says('It said *changed* everywhere.')]
    await card.getByRole('button', { name: 'Run' }).click()
    const ran = page.getByRole('region', { name: 'Command that ran' })
    await ran.getByText('It said changed everywhere.').waitFor()
    await expect.poll(() => ran.getByText('exit code 3').count()).toBe(world.sshd ? 2 : 1)
    await expect
      .poll(async () => (await ran.getByRole('region', { name: `Output of ${agentHostname}` }).textContent())?.trim())
      .toBe('changed')
    await inspect(page, 'assist-result')

    await page.reload()
    await page.getByText('Is there space left?').waitFor()
    await page.getByText('Let us look').waitFor()
    await ran.getByText('It said changed everywhere.').waitFor()
    await expect
      .poll(async () => (await ran.getByRole('region', { name: `Output of ${agentHostname}` }).textContent())?.trim())
      .toBe('changed')
    await expect.poll(() => ran.getByText('exit code 3').count()).toBe(world.sshd ? 2 : 1)

    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('button', { name: 'Actions for Space on the disks' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Disks')
    await page.getByRole('textbox', { name: 'Title' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Disks' }).waitFor()
    await list.getByRole('button', { name: 'Actions for Disks' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete conversation' }).click()
    await page.getByRole('heading', { name: 'What would you like to know?' }).waitFor()
    await page.getByText('No conversations yet').waitFor()
    noErrors()
  })

  test('what destroys something runs only when it is typed out, and a command that runs can be stopped', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await begin(page)
    model.replies = [
      calls('propose_command', { command: 'rm -rf /nowhere-at-all; sleep 600', nodes: [agentHostname], login: ownLogin }),
      says('Cleaning up'),
    ]
    await ask(page, 'Clean up')
    const card = page.getByRole('region', { name: 'Proposed command' })
    await card.getByText('1 server', { exact: true }).waitFor()
    await isNamed(page, 'Cleaning up')
    await card.getByRole('button', { name: 'Run' }).click()
    const question = page.getByRole('alertdialog')
    await expect.poll(() => question.getByRole('button', { name: 'Run command' }).isDisabled()).toBe(true)
    await question.getByRole('textbox').fill('1 server')
    await question.getByRole('button', { name: 'Run command' }).click()
    const ran = page.getByRole('region', { name: 'Command that ran' })
    await ran.getByText(agentHostname).waitFor()
    await ran.getByRole('button', { name: 'Stop' }).click()
    await ran.getByText('Stopped').waitFor()
    noErrors()
  })

  test('what a hostile model writes is shown as text: no markup, no pictures from elsewhere, no scripts in links', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(world.url) && !request.url().startsWith('data:')) elsewhere.push(request.url())
    })
    await begin(page)
    model.replies = [
      says(
        '<img src="http://127.0.0.1:9/a" onerror="document.title=1"><script>document.title=1</script>\n\n',
        '![seen](http://127.0.0.1:9/b) [press](javascript:document.title=1) [good](https://example.com/)\n\n',
        `${'> '.repeat(400)}deep\n\n${'['.repeat(2000)}`,
      ),
      says('Something hostile'),
    ]
    await ask(page, 'Write something')
    const messages = page.getByRole('list', { name: 'Messages' })
    await messages.getByText('[picture: seen]').waitFor()
    await messages.getByText('<script>').waitFor()
    await isNamed(page, 'Something hostile')
    expect(await messages.locator('img, script, iframe').count()).toBe(0)
    expect(await messages.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      'https://example.com/',
    ])
    expect(await page.title()).not.toBe('1')
    expect(elsewhere).toEqual([])
    noErrors()
  })

  test('an answer can be stopped, and one that fails says why', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await begin(page)
    model.replies = [stalls('I wonder whether'), says('Long thoughts')]
    await ask(page, 'Think long')
    await page.getByText('I wonder whether').waitFor()
    const stalled = model.asked.at(-1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.getByText('I wonder whether').waitFor()
    await stalled?.closed
    await isNamed(page, 'Long thoughts')
    model.replies = [refuses(429)]
    await ask(page, 'Again')
    await page.getByRole('alert').filter({ hasText: 'too much to do' }).waitFor()
    // The last question is taken again with one key.
    await field(page).press('ArrowUp')
    await expect.poll(() => field(page).inputValue()).toBe('Again')
    noErrors()
  })

  test('R2-098, R9-021, R9-022: its button stands above every screen, says once what it is for, and keeps the size that was chosen', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/account`)
    const news = page.getByRole('complementary', { name: 'New: Assist' })
    await news.waitFor()
    expect(await stored(page, storageKeys.showAssist)).toBeNull()
    await news.getByRole('button', { name: 'Got it' }).click()
    await news.waitFor({ state: 'detached' })
    await expect.poll(() => stored(page, storageKeys.showAssist)).toBe('false')

    await page.getByRole('button', { name: 'Assist' }).click()
    const panel = page.getByRole('complementary', { name: 'Assist', exact: true })
    await panel.getByRole('heading', { name: 'What would you like to know?' }).waitFor()
    // What its button is called stands there while the pointer is on it.
    await page.mouse.move(400, 500)
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    await inspect(page, 'assist-popup')
    for (const [label, value] of [
      ['Expanded', 'expanded'],
      ['Expanded with history', 'expanded_history'],
      ['Docked at the right', 'docked'],
    ] as const) {
      await panel.getByRole('button', { name: 'View' }).click()
      await page.getByRole('menuitem', { name: label, exact: true }).click()
      await expect.poll(() => stored(page, storageKeys.assistViewMode)).toBe(value)
    }
    await page.mouse.move(400, 500)
    await inspect(page, 'assist-docked')
    await page.reload()
    await page.getByRole('button', { name: 'Assist' }).waitFor()
    expect(await news.count()).toBe(0)
    await page.getByRole('button', { name: 'Assist' }).click()
    await panel.waitFor()
    await expect.poll(() => panel.evaluate((element) => Math.round(element.getBoundingClientRect().bottom))).toBe(900)
    await panel.getByRole('button', { name: 'Hide' }).click()
    await panel.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Assist')
    noErrors()
  })

  test('R6-026, R6-027, R3-003: who lacks the right has no assistant, and where it is switched off nobody has', async () => {
    const { page: bobs } = await signedIn(browser, world, 'bob')
    await bobs.goto(`${world.url}/web/account`)
    await bobs.getByRole('button', { name: /^Account/ }).waitFor()
    expect(await bobs.getByRole('button', { name: 'Assist' }).count()).toBe(0)
    await bobs.goto(`${world.url}/web/assist`)
    await bobs.getByRole('heading', { name: 'Access Denied' }).waitFor()

    const { page } = await signedIn(browser, world, 'alice')
    await reconfigure(page, { assistEnabled: false })
    await page.goto(`${world.url}/web/account`)
    await page.getByRole('button', { name: /^Account/ }).waitFor()
    expect(await page.getByRole('button', { name: 'Assist' }).count()).toBe(0)
  })

  test('R4-028: who has put the news away does not see them again after signing out', async () => {
    const { page } = await signedIn(browser, world, 'alice', world.signIn('alice'))
    await page.goto(`${world.url}/web/account`)
    await page.getByRole('button', { name: 'Got it' }).click()
    await page.evaluate((key) => localStorage.setItem(key, 'docked'), storageKeys.assistViewMode)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: /sign in/i }).waitFor()
    await expect.poll(() => stored(page, storageKeys.showAssist)).toBe('false')
    await expect.poll(() => stored(page, storageKeys.assistViewMode)).toBeNull()
  })
})
