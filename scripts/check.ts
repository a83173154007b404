/** `npm run check`: what must hold before anything is handed in, without a browser and without other programs. */
import { passes, readingSteps, show, vitest } from './quality/steps.ts'

const results: boolean[] = []
for (const step of readingSteps) results.push(await passes(step))
results.push((await show(vitest, ['run', '--project', 'unit', '--reporter=default'])) === 0)
process.exitCode = results.every(Boolean) ? 0 : 1
