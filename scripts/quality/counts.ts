/** What a test run came to, read from the report that Vitest writes as JSON. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number().default(0),
  /** A file that could not be loaded fails without a failed test in it. */
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).default([]) })),
    }),
  ),
})

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export const noTests: Counts = { passed: 0, failed: 0, skipped: 0 }

/** A test that failed, or a file that could not be loaded. */
export interface Failure {
  /** The file's path and the test's full title. */
  name: string
  message: string
}

export function readReport(file: string): { counts: Counts; failures: Failure[] } {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report.parse(
    JSON.parse(readFileSync(file, 'utf8')),
  )
  const failures = testResults.flatMap((one): Failure[] => {
    const failed = one.assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0) return one.status === 'failed' ? [{ name: one.name, message: one.message }] : []
    return failed.map(({ fullName, failureMessages }) => ({ name: `${one.name}: ${fullName}`, message: failureMessages.join('\n') }))
  })
  const broken = failures.length - numFailedTests
  return {
    counts: { passed: numPassedTests, failed: numFailedTests + Math.max(0, broken), skipped: numPendingTests + numTodoTests },
    failures,
  }
}

export function sum(all: readonly Counts[]): Counts {
  return all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }), noTests)
}

export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
