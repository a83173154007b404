/** The screen of join tokens. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { list, save } from '@sallyport/wire/calls/tokens.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('join tokens', () => {
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
  const rows = (page: Page) => page.getByRole('table', { name: 'Join tokens' }).getByRole('row')
  const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

  test('a token is made, its command copied, its name shown and hidden, its document changed, and it is deleted', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/tokens'))
    await page.getByRole('heading', { level: 1, name: 'Join Tokens' }).waitFor()
    await expect.poll(() => page.title()).toBe('Join Tokens')
    await page.getByText('No join tokens').waitFor()

    await page.getByRole('button', { name: 'Create token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create join token' })
    await form.getByLabel('Good for').click()
    await page.getByRole('option', { name: '1 hour' }).click()
    await form.getByLabel('Labels').fill('prod,')
    await form.getByRole('switch', { name: 'For one agent only' }).check()
    await form.getByRole('button', { name: 'Create token' }).click()
    await form.getByText('Enter both key and value').waitFor()
    await inspect(page, 'tokens-new')
    await form.getByRole('button', { name: 'Remove prod' }).click()
    await form.getByLabel('Labels').fill('env=prod,')
    await form.getByRole('button', { name: 'Create token' }).click()

    const made = page.getByRole('dialog', { name: 'Token created' })
    await made.getByText('It works for 1 hour.').waitFor()
    await inspect(page, 'tokens-made')
    await made.getByRole('button', { name: 'Copy command' }).click()
    await expect
      .poll(() => clipboard(page))
      .toMatch(/^sudo bash -c "\$\(curl -fsSL http:\/\/[^/]+\/scripts\/[0-9a-f]{32}\/install-node\.sh\)"$/)
    const token = /scripts\/(\w+)\//.exec(await clipboard(page))?.[1] ?? ''
    await made.getByRole('button', { name: 'Done' }).click()

    const row = rows(page).nth(1)
    const masked = `…${token.slice(24)}`
    await row.getByText(masked).waitFor()
    expect(await row.innerText()).not.toContain(token)
    await row.getByText('once').waitFor()
    await row.getByRole('button', { name: `Show token ${masked}` }).click()
    await row.getByText(token).waitFor()
    await row.getByRole('button', { name: `Hide token ${masked}` }).click()

    await row.getByRole('button', { name: `Edit token ${masked}` }).click()
    const editor = page.getByRole('dialog', { name: `Token ${masked}` })
    const text = editor.getByRole('textbox', { name: 'YAML of the token' })
    await text.getByText('usage_mode').waitFor()
    await inspect(page, 'tokens-yaml')
    await text.click()
    const stored = (await (await clientOf(world, 'alice')).call(list)).items[0]?.content ?? ''
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(stored.replace('spec:', 'spec:\n  bot_name: x'))
    await editor.getByRole('button', { name: 'Save token' }).click()
    const review = page.getByRole('dialog', { name: `Save token ${masked}?` })
    await review.getByRole('button', { name: 'Save token' }).click()
    await editor.getByText('if, and only if, one of its roles is Bot').first().waitFor()
    // The key is for the editor below it.
    await review.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()

    await row.getByRole('button', { name: `More for ${masked}` }).click()
    await page.getByRole('menuitem', { name: 'Install command…' }).click()
    const dialog = page.getByRole('dialog', { name: `Install with token ${masked}` })
    await dialog.getByText(`/scripts/${token}/install-node.sh`).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await row.getByRole('button', { name: `More for ${masked}` }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page
      .getByRole('alertdialog', { name: `Delete token ${masked}?` })
      .getByRole('button', { name: 'Delete token' })
      .click()
    await page.getByText('No join tokens').waitFor()
    noErrors()
    await page.context().close()
  })

  test('what is dangerous about a token is said beside it; a method with rules goes on in YAML', async () => {
    const alice = await clientOf(world, 'alice')
    for (const body of [
      { name: 'a-secret-that-never-ends', roles: ['Node', 'App'], suggested_labels: { env: 'prod', team: 'web' }, join_method: 'token' },
      { name: 'by-github', roles: ['Node'], join_method: 'github', github: { allow: [{ repository: 'a/b' }] } },
    ])
      await alice.call(save, { body })
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('/web/tokens?new=yes'))
    const form = page.getByRole('dialog', { name: 'Create join token' })
    await form.getByLabel('Join method').click()
    await page.getByRole('option', { name: 'AWS IAM' }).click()
    await form.getByRole('button', { name: 'Continue in YAML' }).click()
    const editor = page.getByRole('dialog', { name: 'New token' })
    await editor.getByText('aws_arn').waitFor()
    await editor.getByText('name: ""').click()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('aws-servers')
    await editor.getByRole('button', { name: 'Save token' }).click()
    await rows(page).filter({ hasText: 'aws-servers' }).getByText('AWS IAM').waitFor()

    await rows(page).getByRole('button', { name: 'Edit token …r-ends' }).click()
    const other = page.getByRole('dialog', { name: 'Token …r-ends' })
    await other.getByText('name: ').click()
    const stored = (await alice.call(list)).items.find(({ id }) => id === 'a-secret-that-never-ends')?.content ?? ''
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(stored.replace(/expires: .*/, 'expires: "2046-01-01T00:00:00Z"'))
    await other.getByRole('button', { name: 'Save token' }).click()
    await page
      .getByRole('dialog', { name: /^Save token/ })
      .getByRole('button', { name: 'Save token' })
      .click()
    await rows(page).filter({ hasText: '…r-ends' }).getByText('long-lived').waitFor()
    await inspect(page, 'tokens-list')

    await page.getByRole('searchbox', { name: 'Search tokens' }).fill('github')
    await expect.poll(() => rows(page).count()).toBe(2)
    await rows(page).filter({ hasText: 'by-github' }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('who may not list tokens is not led there', async () => {
    const { page } = await signedIn(browser, world, 'bob')
    await page.goto(at('/web/tokens'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('table', { name: 'Join tokens' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0)
    await page.context().close()
  })
})
