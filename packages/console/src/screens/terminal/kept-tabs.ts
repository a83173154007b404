/** The tabs of a browser tab, kept so that a reload finds them again. They are the viewer's alone and go when they sign out. */
import { participantModes } from '@sallyport/wire/entities/session-tracker.ts'
import * as z from 'zod/mini'
import { tabColours, type ConsoleTab, type TerminalTab } from './console-tabs.ts'

const key = 'sallyport_console_tabs'

const text = z.string()
const targetForm = z.union([
  z.object({ kind: z.literal('new'), clusterId: text, serverId: text, login: text }),
  z.object({ kind: z.literal('join'), clusterId: text, sid: text, mode: z.optional(z.enum(participantModes)) }),
])
const factsForm = z.object({
  sid: text,
  clusterId: text,
  login: text,
  hostname: text,
  serverId: text,
  owner: text,
  moderated: z.boolean(),
  recorded: z.optional(z.boolean()),
  created: text,
})
const tabForm = z.object({
  target: targetForm,
  facts: z.optional(factsForm),
  name: z.optional(text.check(z.maxLength(100))),
  colour: z.optional(z.enum(Object.keys(tabColours) as (keyof typeof tabColours)[])),
})
const keptForm = z.object({ user: text, tabs: z.array(tabForm) })

export type KeptTab = Pick<TerminalTab, 'target' | 'facts' | 'name' | 'colour'>

export function keepTabs(storage: Storage, user: string, tabs: readonly ConsoleTab[]): void {
  const kept = tabs.flatMap((tab) => (tab.kind === 'terminal' ? [pick(tab)] : []))
  try {
    if (kept.length === 0) storage.removeItem(key)
    else storage.setItem(key, JSON.stringify({ user, tabs: kept }))
  } catch {
    return // storage may be forbidden or full; a reload then finds only the tab of its address
  }
}

/** The tabs that this viewer had here; none when they were another's. */
export function keptTabs(storage: Storage, user: string): KeptTab[] {
  try {
    const kept = keptForm.parse(JSON.parse(storage.getItem(key) ?? 'null'))
    return kept.user === user ? kept.tabs.map(pick) : []
  } catch {
    return []
  }
}

/** Without what is undefined, so that the tab's optional fields are absent instead. */
function pick({ target, facts, name, colour }: z.output<typeof tabForm> | TerminalTab): KeptTab {
  const { kind, clusterId } = target
  return {
    target:
      kind === 'new'
        ? { kind, clusterId, serverId: target.serverId, login: target.login }
        : { kind, clusterId, sid: target.sid, ...(target.mode ? { mode: target.mode } : {}) },
    ...(facts ? { facts: pickFacts(facts) } : {}),
    ...(name ? { name } : {}),
    ...(colour ? { colour } : {}),
  }
}

function pickFacts({ recorded, ...facts }: z.output<typeof factsForm>): NonNullable<TerminalTab['facts']> {
  return { ...facts, ...(recorded === undefined ? {} : { recorded }) }
}
