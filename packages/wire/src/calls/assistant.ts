/** Conversations with the assistant. Everybody has their own, and sees no other. */
import * as z from 'zod/mini'
import { call, listOf, okMessage, rule } from '../call.ts'
import { conversationWire, messageWire } from '../entities/assistant.ts'
import { chatTitleLimit, chatTextLimit } from '../limits.ts'

const params = z.object({ conversationId: z.string().check(z.maxLength(64)) })
const path = '/v1/webapi/assistant/conversations'

export const conversations = call({
  id: 'assistant.conversations',
  method: 'GET',
  path,
  allow: rule('assistant', 'list'),
  out: z.object({ conversations: listOf(conversationWire) }),
})
export const createConversation = call({
  id: 'assistant.createConversation',
  method: 'POST',
  path,
  allow: rule('assistant', 'create'),
  out: z.object({ id: z.string() }),
})
export const messages = call({
  id: 'assistant.messages',
  method: 'GET',
  path: `${path}/{conversationId}`,
  allow: rule('assistant', 'read'),
  params,
  /** Ours: `yes` for all types of messages; else those that every console knows. */
  query: z.object({ all: z.optional(z.string()) }),
  out: z.object({ messages: listOf(messageWire) }),
})
export const setTitle = call({
  id: 'assistant.setTitle',
  method: 'POST',
  path: `${path}/{conversationId}/title`,
  allow: rule('assistant', 'update'),
  params,
  body: z.object({ title: z.string().check(z.minLength(1, 'missing title'), z.maxLength(chatTitleLimit)) }),
  out: okMessage,
})
export const removeConversation = call({
  id: 'assistant.removeConversation',
  method: 'DELETE',
  path: `${path}/{conversationId}`,
  allow: rule('assistant', 'delete'),
  params,
  out: okMessage,
})
/** A title for what somebody begins a conversation with. */
export const suggestTitle = call({
  id: 'assistant.suggestTitle',
  method: 'POST',
  path: '/v1/webapi/assistant/title/summary',
  allow: rule('assistant', 'use'),
  body: z.object({ message: z.string().check(z.minLength(1, 'missing message'), z.maxLength(chatTextLimit)) }),
  out: z.object({ id: z._default(z.string(), ''), title: z.string(), created_time: z._default(z.string(), '') }),
})
