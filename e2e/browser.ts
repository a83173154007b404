/** Debian's Chromium, and what every screen is held to. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { requireProgram } from '@sallyport/testkit/targets/programs.ts'
import { storageKeys } from '@sallyport/wire/limits.ts'

const pictures = join(import.meta.dirname, 'results')
const args = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const wide = { width: 1440, height: 900 }
export const narrow = { width: 390, height: 844 }

const graphics = {
  'no graphics': ['--disable-gpu'],
  /** WebGL, drawn by a program. */
  'software graphics': ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
}

export const openBrowser = (kind: keyof typeof graphics = 'no graphics'): Promise<Browser> =>
  chromium.launch({ executablePath: requireProgram('chromium'), args: [...args, ...graphics[kind]] })

const open = new Map<Page, readonly string[]>()

/** Pages that no test has closed, with what the browser logged as errors in their profile. */
export const openPages = (): { page: Page; errors: readonly string[] }[] => Array.from(open, ([page, errors]) => ({ page, errors }))

/** A page in a profile of its own. What it logs as an error fails the test at `noErrors`. */
export async function newPerson(browser: Browser): Promise<{ page: Page; noErrors: () => void }> {
  const context = await browser.newContext({ viewport: wide, permissions: ['clipboard-read', 'clipboard-write'] })
  // As patient as the slowest machine that runs this needs: what is there is seen at once.
  context.setDefaultTimeout(120_000)
  const errors: string[] = []
  const watch = (page: Page): void => {
    open.set(page, errors)
    page.on('close', () => open.delete(page))
    page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      // A refused call is logged by the browser itself; the screen tells the person.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(`${page.url()}: ${message.text()}`)
    })
  }
  context.on('page', watch)
  const page = await context.newPage()
  return { page, noErrors: () => expect(errors).toEqual([]) }
}

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(
    ({ key, value }) => {
      const oldValue = localStorage.getItem(key)
      localStorage.setItem(key, value)
      // As the page hears of it when another tab chooses a theme.
      dispatchEvent(new StorageEvent('storage', { key, oldValue, newValue: value, storageArea: localStorage }))
    },
    { key: storageKeys.theme, value: theme },
  )
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe(theme)
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/**
 * Waits for everything that moves, but for what never rests. Looks again and again: the promise of an animation's end is not
 * always kept where its element is drawn anew meanwhile.
 */
export const settle = (page: Page): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(() =>
        document
          .getAnimations()
          .some(({ effect, playState }) => playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime)),
      ),
    )
    .toBe(false)

const colourRules = ['color-contrast', 'link-in-text-block']

/** What axe finds on the page as it stands, by all of its rules or by some. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // It stays in the document, since bringing it there takes as long as half a look.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async (only) => {
    const there: typeof axe = Reflect.get(window, 'axe')
    // Only violations are told in full: the rest would take longer than finding them.
    const { violations } = await there.run(document, { resultTypes: ['violations'], ...(only && { runOnly: [...only] }) })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join('; ')}`)
  }, rules)
}

/** Looks at a screen in both themes, wide and narrow: keeps pictures, and finds no accessibility violation and no sideways scrolling. */
export async function inspect(page: Page, name: string): Promise<void> {
  const problems: string[] = []
  for (const theme of ['light', 'dark'] as const)
    for (const size of [wide, narrow]) {
      await page.setViewportSize(size)
      await setTheme(page, theme)
      await settle(page)
      await keepPicture(page, `${name}-${theme}-${size.width}`)
      // A theme changes nothing but colours.
      for (const violation of await violationsOf(page, theme === 'dark' ? colourRules : undefined))
        problems.push(`${name} ${theme} ${size.width}: ${violation}`)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      if (overflow > 0) problems.push(`${name} ${theme} ${size.width}: ${overflow} px wider than the window`)
    }
  await page.setViewportSize(wide)
  await setTheme(page, 'light')
  // Whoever goes on clicks at what stands still.
  await settle(page)
  expect(problems).toEqual([])
}
