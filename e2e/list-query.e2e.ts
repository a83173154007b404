/** The query language in the search box of a list: completion, refusals, labels and the Back key. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, sshdHostname, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('sshd'))('list queries', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  const box = (page: Page) => page.getByRole('combobox', { name: 'Search servers' })
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
  async function visit(): Promise<Awaited<ReturnType<typeof signedIn>>> {
    const person = await signedIn(browser, world, 'alice')
    await person.page.goto(`${world.url}/web/cluster/${world.cluster}/nodes`)
    await row(person.page, agentHostname).waitFor()
    return person
  }

  test('words become a query, which is completed with the labels in sight', async () => {
    const { page, noErrors } = await visit()
    await page.getByRole('searchbox', { name: 'Search servers' }).fill('open')
    await page.getByRole('switch', { name: 'Advanced' }).click()
    await expect.poll(() => box(page).inputValue()).toBe('search("open")')
    await box(page).fill('')
    await box(page).pressSequentially('lab')
    await page.getByRole('option', { name: /^labels/ }).waitFor()
    for (const offer of [/^labels/, /^served/, /^==/, /^agent/]) {
      await page.getByRole('option', { name: offer }).waitFor()
      while ((await page.getByRole('option', { name: offer }).getAttribute('aria-selected')) !== 'true')
        await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      if (offer.source === '^served') await page.keyboard.type(' ')
    }
    await expect.poll(() => box(page).inputValue()).toBe('labels["served"] == "agent"')
    await page.keyboard.press('Enter')
    await row(page, sshdHostname).waitFor({ state: 'detached' })
    await row(page, agentHostname).waitFor()
    expect(new URL(page.url()).searchParams.get('query')).toBe('labels["served"] == "agent"')
    await inspect(page, 'list-query')
    noErrors()
    await page.context().close()
  })

  test('a query that cannot be read says why, and the last rows stay', async () => {
    const { page } = await visit()
    await page.getByRole('switch', { name: 'Advanced' }).click()
    await box(page).fill('naem == "x"')
    await page.keyboard.press('Enter')
    await page.getByText('Query not understood: identifier naem is not defined').waitFor()
    await row(page, agentHostname).waitFor()
    await page.getByRole('button', { name: 'Help with queries' }).click()
    await page.getByRole('dialog', { name: 'Query language' }).getByRole('button').first().click()
    await page.getByText('Query not understood').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('a label adds itself to the query and takes itself out; Back undoes it', async () => {
    const { page } = await visit()
    await row(page, sshdHostname).getByRole('button', { name: 'Filter by served: openssh' }).click()
    await row(page, agentHostname).waitFor({ state: 'detached' })
    await expect.poll(() => box(page).inputValue()).toBe('labels["served"] == "openssh"')
    await page.goBack()
    await row(page, agentHostname).waitFor()
    await page.goForward()
    await row(page, agentHostname).waitFor({ state: 'detached' })
    await row(page, sshdHostname).getByRole('button', { name: 'Stop filtering by served: openssh' }).click()
    await row(page, agentHostname).waitFor()
    await page.context().close()
  })
})
