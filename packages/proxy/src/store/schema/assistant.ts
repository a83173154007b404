/** Conversations with the assistant, each of one user. */
export interface AssistantConversationsTable {
  id: string
  user: string
  title: string
  /** Epoch milliseconds. */
  created: number
}

export interface AssistantMessagesTable {
  id: string
  conversation: string
  /** The conversation's, so that what a user leaves behind is found. */
  user: string
  /** Order within the conversation: epoch microseconds, made distinct by who writes. */
  position: number
  /** As the wire names it. */
  type: string
  payload: string
}
