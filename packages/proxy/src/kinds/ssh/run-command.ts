/** One command without a terminal on a node, from any client: its session begins, is recorded and ends like every other. */
import { randomUUID } from 'node:crypto'
import { accessDenied } from '../../core/errors.ts'
import type { CommandClient, CommandSession } from '../../core/sessions/command-session.ts'
import { parseScp } from '../../core/sessions/scp-command.ts'
import type { ShellChannel } from './channel.ts'
import type { DisplayWish } from './client.ts'
import type { NodeConnection } from './connect-node.ts'
import { auditSessionRefusal, openWatched, sessionRequest, throwIfCut } from './open-session.ts'
import type { OpenSessionDeps } from './open-session.ts'

export interface CommandRequest {
  /** A login shell that reads commands from its input when left out. */
  command: string | undefined
  sid?: string
  env?: Readonly<Record<string, string>>
  forwardKeyAgent?: boolean
  display?: DisplayWish | undefined
  onShell?: (shell: ShellChannel) => void
}

/** On a connection that may hold others. Refusals are audited. */
export async function runCommand(
  deps: OpenSessionDeps,
  node: NodeConnection,
  { command, sid = randomUUID(), env = {}, forwardKeyAgent = false, display, onShell }: CommandRequest,
  client: CommandClient,
): Promise<CommandSession> {
  const subject = { ...node.subject, sid, size: { columns: 80, rows: 25 }, command, isInteractive: false }
  const openShell = async (): Promise<ShellChannel> => {
    throwIfCut(node)
    const shell = await openWatched(node, (watchEnv) => {
      const options = { env: { ...env, ...watchEnv }, forwardKeyAgent, display }
      return command === undefined ? node.ssh.pipedShell(options) : node.ssh.exec(command, options)
    })
    onShell?.(shell)
    return shell
  }
  try {
    return await deps.sessions.run({ ...sessionRequest(deps, node), subject, openShell }, client)
  } catch (error) {
    const cause: unknown = node.locked.aborted ? node.locked.reason : error
    if (!node.requester.gone.aborted) await auditSessionRefusal(deps, node, cause)
    throw cause
  }
}

/** Whether a command is one end of a copy by scp, which a role may forbid. */
export const copiesFiles = (command: string): boolean => parseScp(command) !== undefined

export const noFileCopy = () => accessDenied('copying files is not allowed by your roles')
