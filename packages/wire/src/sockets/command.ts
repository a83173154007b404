/** The socket on which a command runs on many servers: envelopes of the terminal's socket, whose payloads name the server. */
import * as z from 'zod/mini'
import { commandLimit } from '../limits.ts'

export const commandSocketPath = '/v1/webapi/command/{clusterId}/execute'

const text = (limit: number) => z._default(z.string().check(z.maxLength(limit)), '')

/** All five are needed; the one that is missing is named by the refusal. */
export const commandParamsWire = z.object({
  command: text(commandLimit),
  query: text(12 * 1024),
  login: text(255),
  conversation_id: text(64),
  execution_id: text(64),
})
export type CommandParams = z.output<typeof commandParamsWire>

/** `teleport-error`: why a server did not run it, or not to its end. `summary`: of no server, and the last. */
export const outputKinds = ['stdout', 'stderr', 'teleport-error', 'summary'] as const
export type OutputKind = (typeof outputKinds)[number]

/** Payload of an `r` frame; its own payload is base64. */
export const commandOutputWire = z.object({
  node_id: z._default(z.string(), ''),
  type: z.string(),
  payload: z._default(z.string(), ''),
})

/** Payload of a `c` frame: a server is done. `exit_code` is ours, absent when nobody knows. */
export const commandDoneWire = z.object({ node_id: z.string(), exit_code: z.optional(z.number()) })

/** Bytes of output in one frame: base64 and the fields around it have to fit as well. */
export const commandPieceLength = 11 * 1024
