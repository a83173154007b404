/** How a process learns which generation it is, and how it starts the next: as it was started itself, from what is on disk then. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { z } from 'zod'

const generationVariable = 'SALLYPORT_GENERATION'
/** Set by the launcher: it looks after dependencies and builds before it runs the code. */
const launcherVariable = 'SALLYPORT_LAUNCHER'
const launcherForm = z.object({ node: z.string(), args: z.tuple([z.string()], z.string()) })

export interface HowToSpawn {
  /** 0 for the first process. */
  readonly generation: number
  readonly spawn: (generation: number) => ChildProcess
}

/** Takes what it needs out of the environment: nobody else shall see it. */
export function howToSpawn(): HowToSpawn {
  const generation = Number(process.env[generationVariable] ?? 0)
  const launcher = process.env[launcherVariable]
  delete process.env[generationVariable]
  delete process.env[launcherVariable]
  const [, program = '', ...args] = process.argv
  const given = launcher === undefined ? undefined : launcherForm.parse(JSON.parse(launcher))
  return {
    generation,
    spawn(next) {
      const env = { ...process.env, [generationVariable]: String(next) }
      if (!given) return fork(program, args, { env })
      const [file, ...before] = given.args
      return fork(file, [...before, ...args], { env, execPath: given.node, execArgv: [] })
    },
  }
}
