/** Conversations with the assistant. */
import * as calls from '@sallyport/wire/calls/assistant.ts'
import { ok } from '@sallyport/wire/call.ts'
import { messageTypes } from '@sallyport/wire/entities/assistant.ts'
import type { Assistant } from '../../core/assistant/assistant.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

const time = (epochMs: number): string => new Date(epochMs).toISOString()

/** In every history: some consoles fail on one with any other. */
const known: ReadonlySet<string> = new Set([messageTypes.user, messageTypes.assistant, messageTypes.command, messageTypes.result])

export function assistantRoutes({ assistant }: { assistant: Assistant }): Route[] {
  const { conversations } = assistant
  return [
    on(calls.conversations, async ({ caller }) => {
      assistant.require()
      const own = await conversations.list(caller.username)
      return {
        conversations: own.map(({ id, title, created }) => ({ id, ...(title !== '' && { title }), created_time: time(created) })),
      }
    }),
    on(calls.createConversation, async ({ caller }) => {
      assistant.require()
      return { id: await conversations.create(caller.username) }
    }),
    on(calls.messages, async ({ params, query, caller }) => {
      assistant.require()
      const kept = await conversations.messages(caller.username, params.conversationId)
      const shown = query.all === 'yes' ? kept : kept.filter(({ type }) => known.has(type))
      return { messages: shown.map(({ type, payload, created }) => ({ type, payload, created_time: time(created) })) }
    }),
    on(calls.setTitle, async ({ params, body, caller }) => {
      assistant.require()
      await conversations.setTitle(caller.username, params.conversationId, body.title)
      return ok
    }),
    on(calls.removeConversation, async ({ params, caller }) => {
      assistant.require()
      await conversations.remove(caller.username, params.conversationId)
      return ok
    }),
    on(calls.suggestTitle, async ({ body, caller, signal }) => {
      assistant.require()
      return { title: await assistant.titleFor(caller.username, body.message, signal) }
    }),
  ]
}
