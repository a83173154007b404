/** A command on one of many servers: as a session of its own, whose output goes to the browser. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { completeLength } from '@sallyport/wire/sockets/terminal.ts'
import type { OutputKind } from '@sallyport/wire/sockets/command.ts'
import { actorAt } from '../../../core/access/assumed.ts'
import { OutputSample } from '../../../core/assistant/outputs.ts'
import type { NodeOutput } from '../../../core/assistant/outputs.ts'
import type { Node } from '../../../core/inventory/inventory.ts'
import type { CommandClient } from '../../../core/sessions/command-session.ts'
import { stopping } from '../../../core/sessions/live-sessions.ts'
import { commonFields } from '../../../core/sessions/subject.ts'
import type { ExitInfo } from '../../../core/sessions/shell.ts'
import { connectNode, publicText } from '../connect-node.ts'
import type { Requester } from '../connect-node.ts'
import { lockedOut } from '../open-session.ts'
import type { OpenSessionDeps } from '../open-session.ts'
import { copiesFiles, noFileCopy, runCommand } from '../run-command.ts'
import type { CommandSocket } from './command-socket.ts'

export interface NodeRun extends NodeOutput {
  node: Node
  sid: string
  /** Whether there is a recording of it. */
  isRecorded: boolean
}

export interface NodeRunRequest {
  node: Node
  login: string
  command: string
  requester: Requester
}

/** Resolves when it is over, whatever came of it. */
export async function runOnNode(deps: OpenSessionDeps, request: NodeRunRequest, socket: CommandSocket): Promise<NodeRun> {
  const { node, login, command, requester } = request
  const sid = randomUUID()
  socket.session(metadata(deps, request, sid))
  const client = new NodeClient(socket, node.id)
  const run = { node, sid, hostname: node.hostname, isRecorded: false, exitCode: undefined, problem: '', text: '' }
  try {
    await requireFileCopy(deps, request, sid)
    await using connection = await connectNode(deps, { kind: 'found', node, login }, requester, sid)
    const session = await runCommand(deps, connection, { command, sid }, client)
    const { locked } = connection
    const onLocked = (): void => session.end(lockedOut(locked.reason))
    const onGone = (): void => session.end({ kind: 'cut', text: '' })
    const onStopping = (): void => session.end(stopping)
    using _watched = listen([
      [locked, onLocked],
      [AbortSignal.any([requester.gone, requester.caller.signal]), onGone],
      [requester.stopping, onStopping],
    ])
    await session.ended
    const recorded = { ...run, isRecorded: session.isRecorded, exitCode: client.exit.code }
    if (client.problem !== '') await socket.output(node.id, 'teleport-error', Buffer.from(client.problem))
    return { ...recorded, problem: client.problem, text: client.sample.text }
  } catch (error) {
    const problem = publicText(error, deps.log)
    await socket.output(node.id, 'teleport-error', Buffer.from(problem))
    return { ...run, problem, text: client.sample.text }
  }
}

function listen(pairs: readonly (readonly [AbortSignal, () => void])[]): Disposable {
  for (const [signal, task] of pairs) {
    signal.addEventListener('abort', task, { once: true })
    if (signal.aborted) task()
  }
  return { [Symbol.dispose]: () => pairs.forEach(([signal, task]) => signal.removeEventListener('abort', task)) }
}

/** Copying may be forbidden by role; a command may copy all the same. */
async function requireFileCopy(deps: OpenSessionDeps, { node, login, command, requester }: NodeRunRequest, sid: string): Promise<void> {
  const { access, username, assumed } = actorAt(requester.caller, 'node', node.id)
  if (!copiesFiles(command) || access.options.fileCopy) return
  const size = { columns: 80, rows: 25 }
  const { address } = requester
  const subject = { sid, user: username, login, clusterName: deps.cluster.name, node, address, assumed, size, isInteractive: false }
  // No session has begun.
  await deps.audit.emit('T3010E', { ...commonFields(subject), sid: '', command })
  throw noFileCopy()
}

/** The browser's end of the command's streams. There is no input. */
class NodeClient implements CommandClient {
  readonly input = Readable.from([])
  readonly sample = new OutputSample()
  exit: ExitInfo = { code: undefined, signal: undefined }
  problem = ''
  readonly #socket: CommandSocket
  readonly #nodeId: string
  /** Of each stream, the beginning of a character whose end is still to come. */
  readonly #rests = new Map<OutputKind, Buffer>()
  readonly #decoder = new StringDecoder('utf8')

  constructor(socket: CommandSocket, nodeId: string) {
    this.#socket = socket
    this.#nodeId = nodeId
  }

  output(bytes: Buffer): Promise<void> {
    return this.#pass('stdout', bytes)
  }

  errors(bytes: Buffer): Promise<void> {
    return this.#pass('stderr', bytes)
  }

  close(exit: ExitInfo, text?: string): void {
    this.exit = exit
    this.problem = text ?? (exit.signal === undefined ? '' : `The command was killed by ${exit.signal}.`)
    for (const [type, rest] of this.#rests) void this.#socket.output(this.#nodeId, type, rest)
  }

  /** Each frame is read as text on its own, so none may end inside a character. */
  #pass(type: OutputKind, bytes: Buffer): Promise<void> {
    this.sample.add(this.#decoder.write(bytes))
    const all = Buffer.concat([this.#rests.get(type) ?? Buffer.alloc(0), bytes])
    const end = completeLength(all, all.length)
    this.#rests.set(type, all.subarray(end))
    return this.#socket.output(this.#nodeId, type, all.subarray(0, end))
  }
}

/** Every key is there, for some consoles read them all; the kind is empty here. */
const metadata = ({ cluster, clock }: OpenSessionDeps, { node, login, requester, command: _ }: NodeRunRequest, sid: string) => {
  const now = new Date(clock.now()).toISOString()
  return {
    kind: '',
    id: sid,
    namespace: 'default',
    parties: null,
    terminal_params: { w: 0, h: 0 },
    login,
    created: now,
    last_active: now,
    server_id: node.id,
    server_hostname: node.hostname,
    server_hostport: 0,
    server_addr: '',
    cluster_name: cluster.name,
    kubernetes_cluster_name: '',
    desktop_name: '',
    database_name: '',
    app_name: '',
    owner: requester.caller.username,
    moderated: false,
  }
}
