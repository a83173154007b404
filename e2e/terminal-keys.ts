import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Types into the shown terminal, which takes the focus when it has been put into the page: a moment after its text can be read. */
export async function typeInTerminal(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.evaluate(() => Boolean(document.activeElement?.closest('.terminal-engine')))).toBe(true)
  await page.keyboard.type(text)
}
