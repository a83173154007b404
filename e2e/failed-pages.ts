/** Says with every failure of a browser test what its open pages showed: a race is understood from that, or not at all. */
import { afterEach } from 'vitest'
import { openPages } from './browser.ts'

const longestText = 1500

afterEach(async ({ task }) => {
  const error = task.result?.errors?.[0]
  if (task.result?.state !== 'fail' || !error) return
  const seen = await Promise.all(
    openPages().map(async ({ page, errors }) => {
      const text = await page
        .locator('body')
        .ariaSnapshot({ timeout: 5000 })
        .catch((cause: unknown) => String(cause))
      return [`Page ${page.url()}`, ...errors, text.slice(0, longestText)].join('\n')
    }),
  )
  error.stack = [error.stack ?? error.message, ...seen].join('\n\n')
})
