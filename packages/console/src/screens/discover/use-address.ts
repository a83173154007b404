import * as z from 'zod/mini'
import { useSearchState } from '../../parts/use-search.ts'
import { tileOf } from './tiles.ts'
import type { Tile } from './tiles.ts'

export const steps = ['select', 'script', 'access', 'test', 'finish'] as const
export type Step = (typeof steps)[number]

const search = z.object({
  resource: z.optional(z.string()),
  step: z.optional(z.enum(steps)),
  /** Id of the server that has joined. */
  server: z.optional(z.string()),
  kind: z.optional(z.string()),
})

export interface Progress {
  step: Step
  tile: Tile | undefined
  server: string | undefined
  kind: string | undefined
  choose: (tile: Tile) => void
  go: (step: Step, server?: string) => void
  /** From the beginning. */
  restart: () => void
}

/** Where the viewer is in the wizard: all of it is in the address, so it survives a reload and goes back with Back. */
export function useProgress(mayAdd: boolean): Progress {
  const [{ resource, step = 'select', server, kind }, set] = useSearchState(search)
  const tile = mayAdd ? tileOf(resource) : undefined
  return {
    step: !tile ? 'select' : server === undefined && step !== 'select' ? 'script' : step,
    tile,
    server,
    kind,
    choose: ({ id }) => set({ resource: id, step: 'script', server: undefined }),
    go: (next, joined = server) => set({ step: next === 'select' ? undefined : next, server: next === 'script' ? undefined : joined }),
    restart: () => set({ resource: undefined, step: undefined, server: undefined }),
  }
}
