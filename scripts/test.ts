/** `npm test`: every check and every test, those in a real browser included. The last line of output holds the counts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closingLine, noTests, readReport, sum, type Counts, type Failure } from './quality/counts.ts'
import { installPrograms } from './quality/programs.ts'
import { passes, readingSteps, show, vitest } from './quality/steps.ts'

const skipped = await installPrograms()
const counts: Counts[] = []
// Told once more at the end: of a long log, often only the end is kept.
const failures: Failure[] = []

function fail(name: string, message: string): void {
  counts.push({ ...noTests, failed: 1 })
  failures.push({ name, message })
}

for (const step of readingSteps) {
  if (await passes(step)) counts.push({ ...noTests, passed: 1 })
  else fail(step.name, 'its output stands above')
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'))
for (const project of ['unit', 'e2e']) {
  const report = join(folder, `${project}.json`)
  const code = await show(vitest, [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ])
  try {
    const read = readReport(report)
    counts.push(read.counts)
    failures.push(...read.failures)
    if (code !== 0 && read.failures.length === 0) fail(`${project} tests`, 'an error outside any test stands above')
  } catch (cause) {
    fail(`${project} tests`, `left no report: ${String(cause)}`)
  }
}
rmSync(folder, { recursive: true })

for (const sentence of skipped) console.log(sentence)
for (const { name, message } of failures) console.log(`FAILED  ${name}\n${message}`)
const total = sum(counts)
console.log(closingLine(total))
process.exitCode = total.failed === 0 ? 0 : 1
