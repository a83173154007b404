import * as z from 'zod/mini'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { reportChoice, reportStep } from './report-steps.ts'
import { stepsOf } from './kinds.ts'
import type { Step } from './kinds.ts'
import { missingRule, tileOf } from './tiles.ts'
import type { Tile } from './tiles.ts'

const search = z.object({
  resource: z.optional(z.string()),
  step: z.optional(z.enum(['select', 'script', 'register', 'deploy', 'tls', 'access', 'test', 'finish'])),
  /** Id of the server that has joined, or the name of what was enrolled. */
  name: z.optional(z.string()),
  kind: z.optional(z.string()),
})

export interface Progress {
  step: Step
  steps: readonly Step[]
  tile: Tile | undefined
  name: string | undefined
  kind: string | undefined
  choose: (tile: Tile) => void
  go: (step: Step, name?: string) => void
  /** To the step after this one. */
  next: (name?: string, how?: 'skipped') => void
  back: () => void
  show: (kind: string | undefined) => void
  /** From the beginning. */
  restart: () => void
}

/** Where the viewer is in the wizard: all of it is in the address, so it survives a reload and goes back with Back. */
export function useProgress(acl: Pick<UserAcl, 'tokens' | 'db'>): Progress {
  const [{ resource, step: asked = 'select', name, kind }, set] = useSearchState(search)
  const found = tileOf(resource)
  const tile = found && missingRule(found, acl) === undefined ? found : undefined
  const steps = stepsOf(tile)
  const known = steps.includes(asked) ? asked : 'select'
  // What comes after the first step is about something that is there.
  const step = !tile ? 'select' : name === undefined && steps.indexOf(known) > 1 ? (steps[1] ?? 'select') : known
  const at = steps.indexOf(step)
  const go = (next: Step, about = name): void =>
    set({ step: next === 'select' ? undefined : next, name: steps.indexOf(next) <= 1 ? undefined : about })
  return {
    step,
    steps,
    tile,
    name,
    kind,
    choose: (chosen) => {
      reportChoice(chosen)
      set({ resource: chosen.id, step: stepsOf(chosen)[1], name: undefined })
    },
    go,
    next: (about, how) => {
      const after = steps[at + 1] ?? 'finish'
      if (tile) reportStep(tile, step, after, how)
      go(after, about)
    },
    back: () => go(steps[at - 1] ?? 'select'),
    show: (next) => set({ kind: next }, { replace: true }),
    restart: () => set({ resource: undefined, step: undefined, name: undefined }),
  }
}
