/** `npm test`: every check and every test, those in a real browser included. The last line of output holds the counts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closingLine, noTests, readCounts, sum, type Counts } from './quality/counts.ts'
import { installPrograms } from './quality/programs.ts'
import { passes, readingSteps, show, vitest } from './quality/steps.ts'

const skipped = await installPrograms()
const counts: Counts[] = []
for (const step of readingSteps) counts.push((await passes(step)) ? { ...noTests, passed: 1 } : { ...noTests, failed: 1 })

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
    const counted = readCounts(report)
    // An error outside any test makes the run fail without a failed test.
    counts.push(code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted)
  } catch (cause) {
    console.error(`The ${project} tests left no report:`, cause)
    counts.push({ ...noTests, failed: 1 })
  }
}
rmSync(folder, { recursive: true })

for (const sentence of skipped) console.log(sentence)
const total = sum(counts)
console.log(closingLine(total))
process.exitCode = total.failed === 0 ? 0 : 1
