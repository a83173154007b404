/** Requests that change the protocol: commands in pods, and ports of pods. Nothing else may. */
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { accessDenied, badParameter } from '../../core/errors.ts'
import type { LiveSession } from '../../core/sessions/live-session.ts'
import { requireUnwatched, stopping } from '../../core/sessions/live-sessions.ts'
import type { Membership } from '../../core/sessions/people/party.ts'
import type { ExitInfo } from '../../core/sessions/shell.ts'
import { protocols } from './channels.ts'
import type { Admitted, Upgrade } from './admitted.ts'
import { auditRequest } from './entry.ts'
import type { EntryDeps } from './entry.ts'
import { endWith, KubectlScreen, KubectlStreams } from './exec-client.ts'
import { endWithSocket, openPodTerminal, readExecTarget, runInPod } from './open-exec.ts'
import type { ExecDeps, ExecTarget } from './open-exec.ts'
import { passPort } from './port-forward.ts'
import { failure, toStatus } from './status.ts'

export type UpgradeDeps = ExecDeps & EntryDeps

export interface Upgrades extends AsyncDisposable {
  /** Rejects, before anything is answered, with an error for the client. */
  take(admitted: Admitted, upgrade: Upgrade): Promise<void>
  count(): number
}

/** Larger messages are no input of a terminal. */
const messageLimit = 4 * 1024 * 1024
const protocolRefused =
  'commands in pods go over WebSockets here, so that they can be recorded: use kubectl 1.31 or later, or set KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true'
const defaultSize = { columns: 80, rows: 25 }

export function createUpgrades(deps: UpgradeDeps): Upgrades {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: messageLimit,
    skipUTF8Validation: true,
    clientTracking: false,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  })
  const running = new Set<{ end: LiveSession['end']; ended: Promise<void> }>()
  const ports = new Set<Duplex>()
  const hold = <S extends { end: LiveSession['end']; ended: Promise<void> }>(session: S): S => {
    running.add(session)
    void session.ended.then(() => running.delete(session))
    return session
  }

  async function serveExec(admitted: Admitted, upgrade: Upgrade): Promise<void> {
    const { entry, visitor, target } = admitted
    const offered = upgrade.request.headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? []
    if (upgrade.request.headers.upgrade?.toLowerCase() !== 'websocket' || !protocols.some((protocol) => offered.includes(protocol))) {
      await auditRequest(deps, visitor, { ...upgrade.facts, entry, target }, 400)
      throw badParameter(protocolRefused)
    }
    await auditRequest(deps, visitor, { ...upgrade.facts, entry, target }, 101)
    const socket = await new Promise<WebSocket>((resolve) =>
      server.handleUpgrade(upgrade.request, upgrade.connection, upgrade.head, resolve),
    )
    socket.on('error', () => undefined) // a close follows
    // What is refused from here on is told where kubectl does not try another protocol.
    try {
      const exec = readExecTarget(target.resource ?? { namespace: '', name: '', subresource: '' }, target.search)
      await (exec.tty ? openTerminal(admitted, exec, socket) : run(admitted, exec, socket))
    } catch (error) {
      const { code, message } = toStatus(error, deps.log)
      endWith(socket, failure(code, message))
    }
  }

  async function openTerminal({ entry, visitor }: Admitted, exec: ExecTarget, socket: WebSocket): Promise<void> {
    const exit = Promise.withResolvers<ExitInfo>()
    const screen = new KubectlScreen(socket, exit.promise, exec.stdout)
    const onExit = (of: Promise<ExitInfo>): void => void of.then(exit.resolve)
    const session = hold(await openPodTerminal(deps, entry, visitor, exec, { size: defaultSize, onExit }))
    const { caller, address } = visitor
    // Of a moderated session others see the end, whoever hangs up.
    const membership = session.join({
      user: caller.username,
      roles: caller.roles,
      traits: caller.traits,
      address,
      mode: 'peer',
      signal: caller.signal,
      sink: screen,
    })
    screen.attach(membership)
    socket.once('close', () => leave(session, membership))
    if (socket.readyState !== socket.OPEN) leave(session, membership)
  }

  async function run({ entry, visitor }: Admitted, exec: ExecTarget, socket: WebSocket): Promise<void> {
    requireUnwatched(visitor.caller.access.sessionHost('k8s'))
    const session = hold(await runInPod(deps, entry, visitor, exec, new KubectlStreams(socket, exec)))
    endWithSocket(socket, session)
    if (socket.readyState !== socket.OPEN) session.end({ kind: 'cut', text: '' })
  }

  return {
    async take(admitted, upgrade) {
      const { resource } = admitted.target
      const isPod = resource?.apiGroup === '' && resource.resource === 'pods'
      if (isPod && (resource.subresource === 'exec' || resource.subresource === 'attach')) return serveExec(admitted, upgrade)
      if (isPod && resource.subresource === 'portforward') {
        ports.add(upgrade.connection)
        upgrade.connection.once('close', () => ports.delete(upgrade.connection))
        return passPort(deps, admitted, upgrade)
      }
      await auditRequest(deps, admitted.visitor, { ...upgrade.facts, entry: admitted.entry, target: admitted.target }, 403)
      throw accessDenied('only commands in pods and ports of pods may change the protocol of a connection')
    },
    count: () => running.size + ports.size,
    async [Symbol.asyncDispose]() {
      for (const connection of ports) connection.destroy()
      for (const session of running) session.end(stopping)
      await Promise.all([...running].map((session) => session.ended))
      server.close()
    },
  }
}

/** A client that goes away hangs up, unless somebody else is in the session. */
function leave(session: LiveSession, membership: Membership): void {
  membership.leave()
  if (session.parties.length === 0) session.end({ kind: 'cut', text: '' })
}
