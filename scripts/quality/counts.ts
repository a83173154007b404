/** What a test run came to, read from the report that Vitest writes as JSON. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number().default(0),
  /** A file that could not be loaded fails without a failed test in it. */
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
})

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export const noTests: Counts = { passed: 0, failed: 0, skipped: 0 }

export function readCounts(file: string): Counts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report.parse(
    JSON.parse(readFileSync(file, 'utf8')),
  )
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  )
  return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped: numPendingTests + numTodoTests }
}

export function sum(all: readonly Counts[]): Counts {
  return all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }), noTests)
}

export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
