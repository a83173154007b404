import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closingLine, readReport, sum } from './counts.ts'

test('counts tests, and a file that did not load as one failure; names both', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-counts-'))
  const file = join(folder, 'report.json')
  const passed = { status: 'passed', fullName: 'adds' }
  const results = [
    { name: '/a.test.ts', status: 'passed', assertionResults: [passed] },
    {
      name: '/b.test.ts',
      status: 'failed',
      assertionResults: [{ status: 'failed', fullName: 'divides', failureMessages: ['by zero'] }, passed],
    },
    { name: '/c.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
  ]
  writeFileSync(file, JSON.stringify({ numPassedTests: 2, numFailedTests: 1, numPendingTests: 3, testResults: results }))
  expect(readReport(file)).toEqual({
    counts: { passed: 2, failed: 2, skipped: 3 },
    failures: [
      { name: '/b.test.ts: divides', message: 'by zero' },
      { name: '/c.test.ts', message: 'no such module' },
    ],
  })
  rmSync(folder, { recursive: true })
  expect(() => readReport(file)).toThrow('ENOENT')
})

test('the closing line leaves out skipped tests when there are none', () => {
  expect(
    closingLine(
      sum([
        { passed: 1, failed: 0, skipped: 0 },
        { passed: 2, failed: 1, skipped: 0 },
      ]),
    ),
  ).toBe('3 passed, 1 failed')
  expect(closingLine({ passed: 3, failed: 0, skipped: 2 })).toBe('3 passed, 0 failed, 2 skipped')
})
