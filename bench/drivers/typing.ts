/** Typing in the search of a list, in a browser: how long each key or click kept the page from showing what it did. */
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { requireProgram } from '@sallyport/testkit/targets/programs.ts'

const args = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update']

export const openTypist = (): Promise<Browser> => chromium.launch({ executablePath: requireProgram('chromium'), args })

/** A page of somebody who is signed in by these cookies. */
export async function openAs(browser: Browser, origin: string, cookie: string): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const pairs = cookie.split('; ').map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) }))
  await context.addCookies(pairs.map((one) => ({ ...one, url: origin.replace(/^http:/, 'https:'), secure: true })))
  const page = await context.newPage()
  await page.addInitScript(() => {
    const durations = new Map<number, number>()
    Reflect.set(window, 'interactions', durations)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[])
        if (entry.interactionId > 0) durations.set(entry.interactionId, Math.max(entry.duration, durations.get(entry.interactionId) ?? 0))
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  })
  return page
}

/** Milliseconds of every interaction that took 16 or more, the worst first; the shorter ones are not even told. */
export async function interactions(page: Page): Promise<number[]> {
  const durations = await page.evaluate(() => [...(Reflect.get(window, 'interactions') as Map<number, number>).values()])
  return durations.toSorted((a, b) => b - a)
}

/** Types each text in the search of the list, and answers the most rows that the document had meanwhile. */
export async function typeAll(page: Page, texts: readonly string[]): Promise<number> {
  const rows = page.locator('tbody tr')
  let most = await rows.count()
  const field = page.getByRole('searchbox').first()
  for (const text of texts) {
    await field.fill('')
    await field.pressSequentially(text, { delay: 60 })
    await page.waitForLoadState('networkidle')
    most = Math.max(most, await rows.count())
  }
  return most
}
