/** The desktop socket: from a browser's request to a desktop in it. */
import { randomUUID } from 'node:crypto'
import { desktopMaxDimension } from '@sallyport/wire/limits.ts'
import { usKeyboard } from '@sallyport/wire/sockets/keyboard-layouts.ts'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { actorAt } from '../../core/access/assumed.ts'
import { smallest } from '../../core/access/combine-options.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { AppError, badParameter, notFound } from '../../core/errors.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../core/route.ts'
import type { RunningSession, RunningSessions } from '../../core/sessions/running-sessions.ts'
import { auditDesktopRefusal, dialDesktop, publicText, requireAccess } from './connect-desktop.ts'
import type { ConnectDesktopDeps, RdpWish } from './connect-desktop.ts'
import type { Desktop } from './desktop.ts'
import { shownAddress } from './desktop.ts'
import { openDesktopLog } from './desktop-log.ts'
import type { DesktopLog, DesktopLogDeps, DesktopSubject } from './desktop-log.ts'
import { DesktopSession } from './desktop-session.ts'
import { DesktopSocket } from './desktop-socket.ts'
import type { Painters } from './painter.ts'

export interface DesktopSocketDeps extends ConnectDesktopDeps, DesktopLogDeps {
  settings: ClusterSettings
  running: RunningSessions
  painters: Painters
  /** Id under which the proxy itself reaches desktops. */
  ownId: string
}

const query = z.object({
  username: z.string().max(255).optional(),
  width: z.string().max(10).optional(),
  height: z.string().max(10).optional(),
  /** Ours: number of the keyboard, as Windows has it. */
  keyboard: z.string().max(10).optional(),
})
type Query = z.output<typeof query>

export const desktopSocket = (deps: DesktopSocketDeps): SocketRoute =>
  onSocket({
    id: 'desktops.connect',
    path: '/v1/webapi/sites/{clusterId}/desktops/{desktopName}/connect',
    query,
    prepare({ params }): Promise<string> {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      return Promise.resolve(params['desktopName'] ?? '')
    },
    open: (socket, name: string, request) =>
      void new DesktopRun(deps, socket, { ...request, caller: actorAt(request.caller, 'windows_desktop', name) }).run(name),
  })

/** Throws bad parameter, in the words that consoles know. */
function parseQuery({ username, width, height, keyboard = '' }: Query) {
  if (!username) throw badParameter('missing username')
  const keyboardLayout = /^\d{1,9}$/.test(keyboard) ? Number(keyboard) : usKeyboard
  return { login: username, width: dimension('width', width), height: dimension('height', height), keyboardLayout }
}

function dimension(name: string, text = ''): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value < 1) throw badParameter(`${name} missing or invalid`)
  if (value > desktopMaxDimension) throw badParameter(`${name} must be at most ${desktopMaxDimension}`)
  return value
}

class DesktopRun {
  readonly #deps: DesktopSocketDeps
  readonly #request: SocketRequest<Query>
  readonly #socket: DesktopSocket
  readonly #ended = new AbortController()
  #running: RunningSession | undefined
  #session: DesktopSession | undefined
  /** Why it ends, when that is neither the person nor the desktop. */
  #cut: string | undefined
  #isGone = false

  constructor(deps: DesktopSocketDeps, socket: WebSocket, request: SocketRequest<Query>) {
    this.#deps = deps
    this.#request = request
    this.#socket = new DesktopSocket(socket, {
      onMessage: (message) => this.#session?.take(message),
      onGone: () => {
        this.#isGone = true
        this.#ended.abort(new Error('the browser went away'))
      },
    })
  }

  /** Never rejects. */
  async run(name: string): Promise<void> {
    const { log } = this.#deps
    const onStop = (): void => this.#end('the proxy is stopping')
    this.#request.signal.addEventListener('abort', onStop, { once: true })
    try {
      const lastWord = await this.#open(name)
      this.#socket.alert(this.#cut ?? lastWord ?? 'The session on the desktop has ended.', 'error')
    } catch (error) {
      this.#socket.alert(this.#cut ?? publicText(error, log), 'error')
    } finally {
      this.#running?.[Symbol.dispose]()
      this.#request.signal.removeEventListener('abort', onStop)
      this.#socket.close()
    }
  }

  async #open(name: string): Promise<string | undefined> {
    const { caller } = this.#request
    const { login, width, height, keyboardLayout } = parseQuery(this.#request.query)
    const desktop = this.#deps.desktops.served.registry.get(name)
    if (!desktop || !caller.access.canSee('windows_desktop', desktop.labels)) throw notFound('no Windows desktops were found')
    const subject = this.#subjectOf(desktop, login)
    const { desktopClipboard: withClipboard, desktopDirectorySharing: withDirectories } = caller.access.options
    try {
      return await this.#connect(subject, { width: even(width), height, keyboardLayout, withClipboard, withDirectories })
    } catch (error) {
      // After the start was announced its end is, and that says it all.
      if (!this.#session && !this.#isGone) await auditDesktopRefusal(this.#deps, subject, this.#cut ?? publicText(error, this.#deps.log))
      throw error
    }
  }

  async #connect(asked: DesktopSubject, wish: RdpWish): Promise<string | undefined> {
    const { caller } = this.#request
    const { desktop, login } = asked
    const { settings, connections } = this.#deps
    const subject = { ...asked, withMfa: await requireAccess(this.#deps, caller, desktop, login, this.#socket) }
    using _counted = connections.take(caller.username, caller.access.options.maxConnections)
    const isRecorded = settings.sessionRecording.mode !== 'off' && caller.access.options.recordDesktop
    this.#running = this.#watch(subject, isRecorded)
    const rdp = await dialDesktop(this.#deps, subject, wish, AbortSignal.any([this.#ended.signal, caller.signal]))
    const end = (): void => rdp.close()
    this.#ended.signal.addEventListener('abort', end, { once: true })
    const signOut = (): void => this.#end('the web session ended')
    caller.signal.addEventListener('abort', signOut, { once: true })
    try {
      if (caller.signal.aborted) signOut()
      const log = await this.#startLog(subject, isRecorded)
      this.#session = new DesktopSession({
        rdp,
        painters: this.#deps.painters,
        socket: this.#socket,
        log,
        withClipboard: wish.withClipboard,
        withDirectories: wish.withDirectories,
        onActivity: () => this.#running?.touch(),
      })
      try {
        this.#ended.signal.throwIfAborted()
        return await this.#session.run()
      } finally {
        if (this.#cut !== undefined) log.disconnected(this.#cut)
        await log.ended()
      }
    } finally {
      rdp.close()
      this.#ended.signal.removeEventListener('abort', end)
      caller.signal.removeEventListener('abort', signOut)
    }
  }

  #subjectOf(desktop: Desktop, login: string): DesktopSubject {
    const { caller, client } = this.#request
    const hostId = desktop.via ?? this.#deps.ownId
    return {
      sid: randomUUID(),
      user: caller.username,
      login,
      clusterName: this.#deps.cluster.name,
      desktop,
      hostId,
      address: client.address,
      assumed: caller.assumed,
    }
  }

  /** From here on locks, administrators, silence and the end of the proxy end it. */
  #watch({ sid, user, login, desktop }: DesktopSubject, recorded: boolean): RunningSession {
    const { caller } = this.#request
    const { running, settings } = this.#deps
    const session = running.run(
      {
        kind: 'desktop',
        user,
        login,
        tracker: { desktop_name: desktop.id, server_addr: shownAddress(desktop.uri), recorded },
        lockedBy: { ...subjectOfCaller(caller), login, windowsDesktop: desktop.id },
        idleTimeout: smallest([caller.access.options.clientIdleTimeout, settings.networking.client_idle_timeout]),
        onEnd: (reason) => this.#end(reason),
      },
      sid,
    )
    // A lock that was in force already has spoken by now.
    if (this.#cut !== undefined) throw new AppError('access_denied', this.#cut)
    return session
  }

  async #startLog(subject: DesktopSubject, isRecorded: boolean): Promise<DesktopLog> {
    const log = await openDesktopLog(subject, isRecorded, this.#deps, (error) =>
      this.#end(`The session is closed, for it must be recorded. ${error.message}`),
    )
    await log.started()
    return log
  }

  #end(reason: string): void {
    this.#cut ??= reason
    this.#ended.abort(new AppError('access_denied', reason))
  }
}

/** Some servers draw screens of odd widths askew. */
const even = (width: number): number => Math.max(2, width - (width % 2))
