import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { closingLine, readCounts, sum } from './counts.ts'

test('counts tests, and a file that did not load as one failure', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-counts-'))
  const file = join(folder, 'report.json')
  const results = [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
    { status: 'failed', assertionResults: [] },
  ]
  writeFileSync(file, JSON.stringify({ numPassedTests: 2, numFailedTests: 1, numPendingTests: 3, testResults: results }))
  expect(readCounts(file)).toEqual({ passed: 2, failed: 2, skipped: 3 })
  rmSync(folder, { recursive: true })
  expect(() => readCounts(file)).toThrow('ENOENT')
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
