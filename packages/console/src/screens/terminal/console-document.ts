import { participantModes, type ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import { matchRoute, routePath } from '@sallyport/wire/routes.ts'
import type { ConsoleTab } from './console-tabs.ts'
import { targetPath, type SessionTarget } from './session-address.ts'

/** What an address of the console shows. */
export type ConsoleDocument =
  /** `open`: terminals that another screen has handed over, by the ticket under which they wait. */
  | { kind: 'blank'; clusterId: string; open?: string }
  | { kind: 'picker'; clusterId: string }
  | { kind: 'terminal'; clusterId: string; target: SessionTarget }

const isMode = (mode: string | null): mode is ParticipantMode => participantModes.some((known) => known === mode)

/** The document of a path and search string; undefined for addresses outside the console. An unknown mode counts as none. */
export function documentOf(path: string, search: string): ConsoleDocument | undefined {
  const route = matchRoute(path)
  const { clusterId = '', serverId = '', login = '', sid = '' } = route?.params ?? {}
  switch (route?.name) {
    case 'console': {
      const open = new URLSearchParams(search).get('open')
      return { kind: 'blank', clusterId, ...(open ? { open } : {}) }
    }
    case 'consoleNodes':
      return { kind: 'picker', clusterId }
    case 'consoleConnect':
      return { kind: 'terminal', clusterId, target: { kind: 'new', clusterId, serverId, login } }
    case 'consoleSession': {
      const mode = new URLSearchParams(search).get('mode')
      return { kind: 'terminal', clusterId, target: { kind: 'join', clusterId, sid, ...(isMode(mode) ? { mode } : {}) } }
    }
    default:
      return undefined
  }
}

/** The address of a tab: once its session runs, the session's, which can be shared and reloaded. */
export function tabPath(tab: ConsoleTab): string {
  if (tab.kind === 'picker') return routePath('consoleNodes', { clusterId: tab.clusterId })
  if (!tab.facts) return targetPath(tab.target)
  const mode = tab.target.kind === 'join' ? tab.target.mode : undefined
  return targetPath({ kind: 'join', clusterId: tab.clusterId, sid: tab.facts.sid, ...(mode ? { mode } : {}) })
}
