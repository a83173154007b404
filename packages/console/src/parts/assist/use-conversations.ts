/** The viewer's conversations, and what can be done with them. */
import { useQuery } from '@tanstack/react-query'
import * as calls from '@sallyport/wire/calls/assistant.ts'
import { request } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { confirm } from '../../ui/confirm.ts'
import { dateOf } from './entries.ts'

export interface Conversation {
  id: string
  title: string
  created: Date | undefined
}

const untitled = 'New conversation'
const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [calls.conversations.id] })

/** Newest first. */
export function useConversations() {
  const query = useQuery(callQuery(calls.conversations))
  const conversations = query.data?.conversations
    .map(({ id, title, created_time }): Conversation => ({ id, title: title ?? '', created: dateOf(created_time) }))
    .toReversed()
  return { query, conversations }
}

export const titleOf = (conversation: Conversation | undefined): string => conversation?.title || untitled

export async function createConversation(): Promise<string> {
  const { id } = await request(calls.createConversation)
  await refresh()
  return id
}

export async function renameConversation(conversationId: string, title: string): Promise<void> {
  await request(calls.setTitle, { params: { conversationId }, body: { title } })
  await refresh()
}

/** After the first question. A conversation without a title is one all the same, so a failure is none. */
export async function giveTitle(conversationId: string, question: string): Promise<void> {
  try {
    const { title } = await request(calls.suggestTitle, { body: { message: question } })
    if (title !== '') await renameConversation(conversationId, title)
  } catch {
    return
  }
}

export function askToDelete(conversation: Conversation, onDeleted: () => void): void {
  confirm({
    title: `Delete “${titleOf(conversation)}”?`,
    body: 'The conversation is gone for good. Recordings of what it ran stay.',
    action: 'Delete conversation',
    danger: true,
    run: async () => {
      await request(calls.removeConversation, { params: { conversationId: conversation.id } })
      onDeleted()
      await refresh()
    },
  })
}
