/** A command that runs on servers, without React: the socket, and what each of them says. */
import * as z from 'zod/mini'
import { callPath } from '@sallyport/wire/call.ts'
import { authenticateChallengeWire } from '@sallyport/wire/entities/mfa.ts'
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { commandDoneWire, commandOutputWire, commandSocketPath } from '@sallyport/wire/sockets/command.ts'
import type { CommandParams } from '@sallyport/wire/sockets/command.ts'
import { decodeFrame, encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { createStore } from '../../ui/store.ts'

export interface NodeState {
  id: string
  sid: string
  hostname: string
  output: string
  /** Characters at its beginning that are not kept here; the recording has them. */
  left: number
  problem: string
  state: 'running' | 'done' | 'stopped'
  exitCode: number | undefined
}

export interface RunState {
  phase: 'connecting' | 'running' | 'ended'
  nodes: readonly NodeState[]
  summary: string
  challenge: AuthenticateChallenge['webauthn_challenge'] | undefined
  /** Why there is nothing. */
  problem: string
}

type Socket = Pick<WebSocket, 'addEventListener' | 'send' | 'close' | 'readyState'>

const longestOutput = 200_000
const sessionForm = z.object({ session: z.object({ id: z.string(), server_id: z.string(), server_hostname: z._default(z.string(), '') }) })
const normalClosure = 1000

export function executeAddress(origin: string, clusterId: string, params: CommandParams, token: string): string {
  const url = new URL(callPath(commandSocketPath, { clusterId }), origin.replace(/^http/, 'ws'))
  url.search = new URLSearchParams({ access_token: token, params: JSON.stringify(params) }).toString()
  return url.toString()
}

export class CommandRun {
  readonly state = createStore<RunState>({ phase: 'connecting', nodes: [], summary: '', challenge: undefined, problem: '' })
  readonly params: CommandParams
  readonly #socket: Socket
  readonly #decoder = new TextDecoder()
  #isStopped = false

  /** `socket` delivers array buffers. */
  constructor(params: CommandParams, socket: Socket, onEnd: () => void) {
    this.params = params
    this.#socket = socket
    let isOpen = false
    socket.addEventListener('open', () => {
      isOpen = true
      this.#change({ phase: 'running' })
    })
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) this.#take(new Uint8Array(data))
    })
    socket.addEventListener('close', () => {
      this.state.set((now) => ({
        ...now,
        phase: 'ended',
        challenge: undefined,
        nodes: now.nodes.map((node) => (node.state === 'running' ? { ...node, state: 'stopped' } : node)),
        problem: this.#whyNothing(isOpen, now.nodes.length),
      }))
      onEnd()
    })
  }

  #whyNothing(isOpen: boolean, nodes: number): string {
    if (this.#isStopped || nodes > 0) return ''
    return isOpen ? 'No server matches any more.' : 'The command was refused, or the connection broke. Look at the query and try again.'
  }

  stop(): void {
    this.#isStopped = true
    this.#socket.close(normalClosure)
  }

  prove(assertion: Assertion): void {
    this.#change({ challenge: undefined })
    this.#socket.send(encodeFrame(frameTypes.challenge, JSON.stringify(assertion)))
  }

  #change(change: Partial<RunState>): void {
    this.state.set((now) => ({ ...now, ...change }))
  }

  #node(id: string, change: (node: NodeState) => NodeState): void {
    this.state.set((now) => ({ ...now, nodes: now.nodes.map((node) => (node.id === id ? change(node) : node)) }))
  }

  #take(bytes: Uint8Array): void {
    try {
      const { type, payload } = decodeFrame(bytes)
      if (payload.length > 0) this.#dispatch(type, JSON.parse(this.#decoder.decode(payload)))
    } catch {
      return // a frame that is not understood is skipped, as in terminals
    }
  }

  #dispatch(type: string, payload: unknown): void {
    if (type === frameTypes.session) {
      const { session } = sessionForm.parse(payload)
      const fresh = { output: '', left: 0, problem: '', state: 'running', exitCode: undefined } as const
      const node = { id: session.server_id, sid: session.id, hostname: session.server_hostname || session.server_id, ...fresh }
      this.state.set((now) => ({ ...now, nodes: [...now.nodes, node] }))
    } else if (type === frameTypes.challenge) {
      const { webauthn_challenge } = authenticateChallengeWire.parse(payload)
      this.#change({ challenge: webauthn_challenge ?? undefined })
    } else if (type === frameTypes.raw) {
      const { node_id, type: kind, payload: base64 } = commandOutputWire.parse(payload)
      const text = textOf(base64)
      if (kind === 'summary') this.state.set((now) => ({ ...now, summary: now.summary + text }))
      else if (kind === 'stdout' || kind === 'stderr') this.#node(node_id, (node) => withOutput(node, text))
      else this.#node(node_id, (node) => ({ ...node, problem: node.problem + text }))
    } else if (type === frameTypes.close) {
      const { node_id, exit_code } = commandDoneWire.parse(payload)
      this.#node(node_id, (node) => ({ ...node, state: 'done', exitCode: exit_code }))
    }
  }
}

function withOutput(node: NodeState, text: string): NodeState {
  const all = node.output + text
  const over = Math.max(0, all.length - longestOutput)
  return { ...node, output: all.slice(over), left: node.left + over }
}

const textOf = (base64: string): string => new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))
