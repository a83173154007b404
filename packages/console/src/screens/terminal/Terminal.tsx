import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { Suspense, useMemo, useSyncExternalStore } from 'react'
import { config, request, session } from '../../api/page.ts'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { knownHost } from '../../parts/list/recent-logins.ts'
import { appHistory, replacePath } from '../../parts/navigation.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { documentOf } from './console-document.ts'
import { ConsoleView } from './ConsoleView.tsx'
import { LiveTerminals } from './live-terminals.ts'
import { RunningSessions } from './running-sessions.ts'
import { TransferDesk } from './transfer/transfer-desk.ts'

/** Sessions tell who is in them when they start; asking begins a while later, and is fetched then. */
const firstPollAfter = 5_000
const PartyPoll = lazyPiece(async () => {
  await new Promise((resolve) => setTimeout(resolve, firstPollAfter))
  return (await import('./PartyPoll.tsx')).PartyPoll
})

const running = new RunningSessions(async (clusterId) => (await request(activeSessions, { params: { clusterId } })).sessions)

/** The page's terminals: one set, whichever console address is shown, until the page is left. */
const terminals = new LiveTerminals({
  token: () => (session.isLeaving() ? '' : (session.bearer() ?? '')),
  scrollback: config.ui.scrollbackLines,
  async isActive(clusterId, sid) {
    try {
      return await running.has(clusterId, sid)
    } catch {
      return undefined // not allowed to list sessions, or out of reach: the socket itself will tell
    }
  },
  placeOf(target) {
    if (target.kind === 'join') return running.placeOf(target.sid)
    const host = knownHost(target.clusterId, target.serverId)
    return host === undefined ? undefined : `${target.login}@${host}`
  },
})

const addressNow = (): string => appHistory.location.pathname + appHistory.location.search
const subscribe = (listener: () => void): (() => void) => appHistory.subscribe(listener)
const go = (path: string): void => {
  if (path !== addressNow()) replacePath(path)
}
const signOut = (): void => void session.signOut()

const transfers = new TransferDesk((sid) => {
  const tab = terminals.tabs.store.get().tabs.find((one) => one.kind === 'terminal' && one.facts?.sid === sid)
  return tab && terminals.get(tab.id)?.session
})
if (new URLSearchParams(window.location.search).get('files') === 'upload') transfers.show('upload')

/** The terminal console: every address under `console`. */
export function Terminal() {
  const { username } = useUserContext()
  const address = useSyncExternalStore(subscribe, addressNow)
  const document = useMemo(() => {
    const [path = '', search = ''] = address.split('?')
    return documentOf(path, search)
  }, [address])
  // For a moment after leaving, the address is already another screen's.
  if (!document) return null
  return (
    <>
      <Suspense>
        <PartyPoll terminals={terminals} />
      </Suspense>
      <ConsoleView terminals={terminals} transfers={transfers} document={document} viewer={username} go={go} onSignOut={signOut} />
    </>
  )
}
