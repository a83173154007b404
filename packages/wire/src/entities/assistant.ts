/** Conversations with the assistant: what they hold, in the history as on the socket. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'

export const conversationWire = z.object({
  id: z.string(),
  title: z.optional(z.string()),
  created_time: z._default(z.string(), ''),
})
export type ConversationWire = z.output<typeof conversationWire>

export const messageTypes = {
  user: 'CHAT_MESSAGE_USER',
  assistant: 'CHAT_MESSAGE_ASSISTANT',
  partial: 'CHAT_PARTIAL_MESSAGE_ASSISTANT',
  finalize: 'CHAT_PARTIAL_MESSAGE_ASSISTANT_FINALIZE',
  progress: 'CHAT_MESSAGE_PROGRESS_UPDATE',
  error: 'CHAT_MESSAGE_ERROR',
  command: 'COMMAND',
  result: 'COMMAND_RESULT',
  summary: 'COMMAND_RESULT_SUMMARY',
} as const
export type MessageType = (typeof messageTypes)[keyof typeof messageTypes]

/** What is kept of a conversation. Some consoles fail on a history with a type that they do not know, and know no summaries. */
export type KeptType = (typeof messageTypes)['user' | 'assistant' | 'command' | 'result' | 'summary']

/** The type is any text: who reads skips what it does not know. */
export const messageWire = z.object({
  type: z.string(),
  created_time: z._default(z.string(), ''),
  payload: z._default(z.string(), ''),
})
export type MessageWire = z.output<typeof messageWire>

/** Payload of a partial message; both fields may be missing. */
export const partialPayload = z.object({ content: z._default(z.string(), ''), idx: z._default(z.number(), 0) })
export const progressPayload = z.object({ action: z._default(z.string(), '') })

/** Payload of a proposal. Nothing of it runs before a person says so. */
export const commandPayload = z.object({
  command: z.string(),
  login: z.optional(z.string()),
  nodes: listOf(z.string()),
  labels: listOf(z.object({ key: z.string(), value: z._default(z.string(), '') })),
})
export type CommandProposal = z.output<typeof commandPayload>

export const resultPayload = z.object({
  node_id: z.string(),
  node_name: z._default(z.string(), ''),
  execution_id: z._default(z.string(), ''),
  session_id: z.string(),
})
export type CommandResult = z.output<typeof resultPayload>

export const summaryPayload = z.object({
  execution_id: z._default(z.string(), ''),
  command: z._default(z.string(), ''),
  summary: z.string(),
})
