/** The command socket: one command on every server that a query matches, each a recorded session of its own. */
import { messageTypes } from '@sallyport/wire/entities/assistant.ts'
import { commandsAtOnce, listDefaultLimit } from '@sallyport/wire/limits.ts'
import { commandSocketPath } from '@sallyport/wire/sockets/command.ts'
import type { CommandParams } from '@sallyport/wire/sockets/command.ts'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { requestedOf } from '../../../core/access/assumed.ts'
import type { Assistant } from '../../../core/assistant/assistant.ts'
import type { Caller } from '../../../core/caller.ts'
import { requireOwnCluster } from '../../../core/cluster/cluster.ts'
import { AppError, badParameter, missingPermission } from '../../../core/errors.ts'
import type { Factors } from '../../../core/identity/factors.ts'
import { confirmSession } from '../../../core/identity/session-proof.ts'
import type { Inventory, Node } from '../../../core/inventory/inventory.ts'
import { onSocket } from '../../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../../core/route.ts'
import type { OpenSessionDeps } from '../open-session.ts'
import { SshError } from '../ssh-error.ts'
import { CommandSocket } from './command-socket.ts'
import { runOnNode } from './node-run.ts'
import type { NodeRun } from './node-run.ts'
import { parseCommandParams } from './params.ts'

export interface ExecuteSocketDeps extends OpenSessionDeps {
  assistant: Assistant
  inventory: Pick<Inventory, 'list'>
  factors: Pick<Factors, 'challenge' | 'key'>
}

const query = z.object({
  params: z
    .string()
    .max(24 * 1024)
    .optional(),
})
type Query = z.output<typeof query>
type Prepared = CommandParams & { nodes: Node[] }

export const executeSocket = (deps: ExecuteSocketDeps): SocketRoute =>
  onSocket({
    id: 'assistant.execute',
    path: commandSocketPath,
    query,
    async prepare({ params, query: { params: json }, caller }): Promise<Prepared> {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      if (!caller.access.allows('assistant', 'use')) throw missingPermission('use', 'assistant')
      deps.assistant.require()
      const request = parseCommandParams(json)
      await deps.assistant.conversations.require(caller.username, request.conversation_id)
      return { ...request, nodes: matchedNodes(deps.inventory, request.query, caller) }
    },
    open: (socket, prepared: Prepared, request) => void run(deps, socket, prepared, request),
  })

/** Those that the caller sees. Whether they let the login in is decided for each, as for every session. */
function matchedNodes(inventory: Pick<Inventory, 'list'>, text: string, caller: Caller): Node[] {
  const { items, totalCount } = inventory.list({ limit: listDefaultLimit, query: text }, [caller.access, ...requestedOf(caller, 'node')])
  if (totalCount > items.length)
    throw badParameter(`the query matches ${totalCount} servers, and a command runs on ${listDefaultLimit} at most; narrow it down`)
  return items
}

async function run(deps: ExecuteSocketDeps, webSocket: WebSocket, prepared: Prepared, request: SocketRequest<Query>): Promise<void> {
  const { command, login, nodes, conversation_id: conversation, execution_id } = prepared
  const { caller, client, signal: stopping } = request
  const gone = new AbortController()
  const socket = new CommandSocket(webSocket, () => gone.abort(new SshError('cancelled', 'the browser went away')))
  if (nodes.length === 0) {
    deps.log.info({ user: caller.username }, 'no servers found')
    return socket.close()
  }
  let proof: Promise<string> | undefined
  const requester = {
    caller,
    address: client.address,
    /** One answer serves all servers. */
    confirm: () => (proof ??= confirmSession(deps.factors, socket, caller.username)),
    gone: gone.signal,
    stopping,
  }
  const keep = (type: 'COMMAND_RESULT' | 'COMMAND_RESULT_SUMMARY', payload: object) =>
    deps.assistant.conversations
      .append(caller.username, conversation, { type, payload: JSON.stringify(payload) })
      // A conversation that was deleted or is full meanwhile takes no more; the sessions are recorded all the same.
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
      })

  async function onNode(node: Node): Promise<NodeRun> {
    const result = await runOnNode(deps, { node, login, command, requester }, socket)
    // The history leads to recordings, so it names none that there is not.
    if (result.isRecorded)
      await keep(messageTypes.result, { node_id: node.id, node_name: node.hostname, execution_id, session_id: result.sid })
    socket.done(node.id, result.exitCode)
    return result
  }

  try {
    const ends = AbortSignal.any([gone.signal, caller.signal, stopping])
    const results = await inTurns(nodes, onNode, () => ends.aborted)
    const hasRun = results.some(({ exitCode, text }) => exitCode !== undefined || text !== '')
    const summary = hasRun && !ends.aborted ? await deps.assistant.summary(caller.username, command, results, ends) : undefined
    if (summary !== undefined) {
      await keep(messageTypes.summary, { execution_id, command, summary })
      await socket.output('', 'summary', Buffer.from(summary))
    }
  } catch (error) {
    if (!gone.signal.aborted) deps.log.error({ err: error }, 'a command on servers failed unexpectedly')
  } finally {
    socket.close()
  }
}

/** Some at a time. What did not begin before `isOver` does not begin. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>, isOver: () => boolean): Promise<R[]> {
  const results: R[] = []
  const queue = items.values()
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (isOver()) return
      results.push(await work(item))
    }
  }
  await Promise.all(Array.from({ length: Math.min(commandsAtOnce, items.length) }, worker))
  return results
}
