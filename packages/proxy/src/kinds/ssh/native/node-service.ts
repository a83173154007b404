/** The inner connection of a native client: the proxy stands for one node, and each channel goes to that node through a connection of the proxy's own. */
import { Duplex } from 'node:stream'
import { openKeyAgentChannel } from '@sallyport/protocols/ssh/key-agent-channel.ts'
import type { Connection } from 'ssh2'
import type { Actor } from '../../../core/caller.ts'
import { accessDenied, connectionProblem } from '../../../core/errors.ts'
import type { Node } from '../../../core/inventory/inventory.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'
import { startIdleTimer } from '../../../core/sessions/idle-timer.ts'
import type { IdleTimer } from '../../../core/sessions/idle-timer.ts'
import { stopping } from '../../../core/sessions/live-sessions.ts'
import { actorFields } from '../../../core/sessions/subject.ts'
import { connectNode } from '../connect-node.ts'
import type { NodeConnection, Requester } from '../connect-node.ts'
import type { OpenSessionDeps } from '../open-session.ts'
import { idleLimit, lockedOut } from '../open-session.ts'
import { SshError } from '../ssh-error.ts'
import { showOnDisplay } from './display.ts'

export type NodeServiceDeps = OpenSessionDeps

const maxChannels = 100

export interface NodeServiceRequest {
  node: Node
  login: string
  caller: Actor
  /** Whether a hardware key has just confirmed their certificate. */
  isConfirmed: boolean
  /** As the client calls the node. */
  name: string
  /** `ip:port`. */
  address: string
  stopping: AbortSignal
}

/** Something that runs on the connection and has to end with it. */
interface Running {
  readonly ended: Promise<void>
  end(reason: EndReason): void
}

export class NodeService {
  readonly deps: NodeServiceDeps
  readonly request: NodeServiceRequest
  readonly connection: Connection
  readonly requester: Requester
  readonly #gone = new AbortController()
  readonly #running = new Set<Running>()
  #node: Promise<NodeConnection> | undefined
  #idle: IdleTimer
  #isEnding = false

  constructor(deps: NodeServiceDeps, request: NodeServiceRequest, connection: Connection) {
    this.deps = deps
    this.request = request
    this.connection = connection
    const { portForwarding, forwardAgent, x11Forwarding } = request.caller.access.options
    this.requester = {
      caller: request.caller,
      address: request.address,
      // eslint-disable-next-line typescript/require-await -- what it throws must reject
      confirm: async () => {
        if (!request.isConfirmed) throw accessDenied(confirmText(request))
        return request.caller.mfaDevice
      },
      gone: this.#gone.signal,
      stopping: request.stopping,
      forwarding: {
        extensions: [
          ...(portForwarding ? (['permit-port-forwarding'] as const) : []),
          ...(forwardAgent ? (['permit-agent-forwarding'] as const) : []),
          ...(x11Forwarding ? (['permit-X11-forwarding'] as const) : []),
        ],
        openKeyAgent: async () => {
          const channel = await openKeyAgentChannel(connection)
          if (!(channel instanceof Duplex)) throw new TypeError('ssh2 changed inside (its channels)')
          return channel
        },
        showOnDisplay: (origin, accept, reject) => showOnDisplay(this, origin, accept, reject),
      },
    }
    this.#idle = this.#watchIdleness()
    connection.once('close', () => void this.#close())
    const stop = (): void => this.#endAll(stopping)
    request.stopping.addEventListener('abort', stop, { once: true })
    connection.once('close', () => request.stopping.removeEventListener('abort', stop))
  }

  /** No client opens as much on one connection. */
  get isFull(): boolean {
    return this.#running.size >= maxChannels
  }

  /** The connection to the node, made when it is first needed. Rejects with an error whose text is for the person. */
  connect(): Promise<NodeConnection> {
    if (this.#gone.signal.aborted) return Promise.reject(connectionProblem('the client is gone'))
    this.#node ??= this.#dial()
    return this.#node
  }

  /** The facts of an event that belongs to no session. */
  eventFields() {
    const { caller, login, node, address } = this.request
    return {
      ...actorFields(caller),
      login,
      namespace: 'default',
      server_id: node.id,
      server_hostname: node.hostname,
      server_addr: node.addr,
      server_labels: node.labels,
      'addr.remote': address,
      proto: 'ssh',
    }
  }

  /** Keeps the connection to the node until it has ended, and ends it with the connection. */
  hold<R extends Running>(running: R): R {
    this.#running.add(running)
    void running.ended.then(() => {
      this.#running.delete(running)
      this.touch()
      this.#release()
    })
    return running
  }

  async #dial(): Promise<NodeConnection> {
    const { node, login } = this.request
    try {
      const opened = await connectNode(this.deps, { kind: 'found', node, login }, this.requester)
      opened.locked.addEventListener('abort', () => void this.#onLocked(opened), { once: true })
      void opened.ssh.closed.then(() => (this.#node = undefined))
      return opened
    } catch (error) {
      this.#node = undefined
      throw error
    }
  }

  /** Whoever runs something hears it there; then the client's connection goes, and what it forwards with it. */
  async #onLocked(opened: NodeConnection): Promise<void> {
    await this.disconnect(lockedOut(opened.locked.reason))
    await opened[Symbol.asyncDispose]()
  }

  /** Bytes moved in something that has no idle limit of its own. */
  touch(): void {
    this.#idle.touch()
  }

  /** Sessions look after their own silence; a connection that only forwards, or only waits, has nobody else who does. */
  #watchIdleness(): IdleTimer {
    const { deps, request } = this
    return startIdleTimer(
      idleLimit(deps, request.caller),
      () => deps.clock.now(),
      () => {
        if (this.#running.size > 0) this.#idle = this.#watchIdleness()
        else void this.#endIdle()
      },
    )
  }

  async #endIdle(): Promise<void> {
    await this.#tellEnd('the connection was idle for too long')
    this.connection.end()
  }

  /** Sessions tell their own end; of a connection without one nobody else would. */
  async #tellEnd(reason: string): Promise<void> {
    if (this.#isEnding) return
    this.#isEnding = true
    await this.deps.audit
      .emit('T3006I', { ...this.eventFields(), reason })
      .catch((error: unknown) => this.deps.log.error({ err: error }, 'the end of a connection could not be written to the audit log'))
  }

  /** The client has a reason to end everything, such as its certificate. */
  async disconnect(reason: EndReason): Promise<void> {
    const sessions = [...this.#running]
    this.#isEnding ||= sessions.length > 0
    this.#endAll(reason)
    await Promise.all(sessions.map(({ ended }) => ended))
    if (reason.kind === 'cut' && reason.disconnected !== undefined) await this.#tellEnd(reason.disconnected)
    this.connection.end()
  }

  #endAll(reason: EndReason): void {
    for (const running of this.#running) running.end(reason)
  }

  #close(): void {
    this.#gone.abort(new SshError('cancelled', 'the client is gone'))
    this.#idle[Symbol.dispose]()
    this.#release()
  }

  /** What others still have open on the node outlives the client that opened it. */
  #release(): void {
    if (!this.#gone.signal.aborted || this.#running.size > 0) return
    void this.#node?.then((opened) => opened[Symbol.asyncDispose]()).catch(() => undefined) // told to whoever asked for it
  }
}

const confirmText = ({ name, login }: NodeServiceRequest): string =>
  `access to node denied: a passkey or security key has to confirm this session; use "sallyport ssh --headless ${login}@${name}", or open it in the console`
