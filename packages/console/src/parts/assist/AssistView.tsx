import { useCallback, useState } from 'react'
import { createConversation } from './use-conversations.ts'
import { Conversation } from './Conversation.tsx'
import { Landing } from './Landing.tsx'
import { useAction } from '../use-action.ts'

export interface AssistViewProps {
  clusterId: string
  conversationId: string | undefined
  onOpen: (id: string | undefined) => void
}

/** One conversation, or what begins one. */
export function AssistView({ clusterId, conversationId, onOpen }: AssistViewProps) {
  /** What the next conversation begins with. */
  const [first, setFirst] = useState<{ id: string; question: string }>()
  /** It is asked once, however often one comes back. */
  const forget = useCallback(() => setFirst(undefined), [])
  const begin = useAction(async (question: string) => {
    const id = await createConversation()
    setFirst({ id, question })
    onOpen(id)
  })
  if (conversationId === undefined) return <Landing busy={begin.busy} error={begin.error} onAsk={begin.start} />
  const question = first?.id === conversationId ? first.question : undefined
  return <Conversation key={conversationId} clusterId={clusterId} conversationId={conversationId} question={question} onAsked={forget} />
}
