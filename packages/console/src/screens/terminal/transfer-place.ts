import { readPodPlace } from '@sallyport/wire/kubernetes.ts'
import { isLive, type ConsoleTab } from './console-tabs.ts'
import type { TransferPlace } from './transfer/transfer-item.ts'

/** Why no file can be copied from this tab; undefined when it can. */
export function whyNoTransfer(tab: ConsoleTab | undefined): string | undefined {
  if (!tab || !isLive(tab) || !tab.facts) return 'Files can be copied while a session is connected.'
  if (tab.target.kind === 'join' && tab.target.mode === 'observer') return 'Observers cannot copy files.'
  if (readPodPlace(tab.facts.serverId)) return 'Files are copied to and from pods with kubectl cp.'
  return undefined
}

/** Where the files of a tab's session are; undefined until it has one. */
export function placeOf(tab: ConsoleTab | undefined): TransferPlace | undefined {
  if (tab?.kind !== 'terminal' || !tab.facts) return undefined
  const { clusterId, serverId, login, hostname, moderated, sid } = tab.facts
  return { clusterId, serverId, login, title: `${login}@${hostname}`, ...(moderated && { moderatedSid: sid }) }
}
