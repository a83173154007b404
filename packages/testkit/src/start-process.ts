/** What `sallyport start` does, as the program of a process of its own, with shells that read nobody's start-up files. Takes the flags as JSON. */
import { reasonOf } from '@sallyport/cli/command-error.ts'
import { start } from '@sallyport/cli/commands/start.ts'
import { z } from 'zod'
import { bareHome } from './bare-home.ts'

const flags = z.record(z.string(), z.unknown())

try {
  await start(flags.parse(JSON.parse(process.argv[2] ?? '{}')), { environment: { HOME: bareHome } })
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}
