import type { Page } from 'playwright-core'

/** The text that a terminal or player shows, as a person could select it. */
export function screenText(page: Page): Promise<string> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.xterm-rows > div')]
      .map((row) => (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd())
      .join('\n'),
  )
}
