/** The assistant as the settings want it: its calls, and its sockets. */
import type { Kysely } from 'kysely'
import { chatSocket } from './areas/assistant/chat-socket.ts'
import type { ChatSocketDeps } from './areas/assistant/chat-socket.ts'
import { assistantRoutes } from './areas/assistant/routes.ts'
import type { Config } from './config.ts'
import { createAssistant } from './core/assistant/assistant.ts'
import { createConversations } from './core/assistant/conversations.ts'
import { createModel } from './core/assistant/model.ts'
import type { Clock } from './core/clock.ts'
import type { Log } from './core/log.ts'
import type { SocketRoute } from './core/route.ts'
import { executeSocket } from './kinds/ssh/command/execute-socket.ts'
import type { ExecuteSocketDeps } from './kinds/ssh/command/execute-socket.ts'
import type { Database } from './store/db.ts'

interface AssistantSettings {
  config: Config
  db: Kysely<Database>
  clock: Clock
  log: Log
}
type SocketDeps = Omit<ChatSocketDeps & ExecuteSocketDeps, 'assistant'>

export function createAssistantOf({ config, db, clock, log }: AssistantSettings) {
  const { assistAddress: address, assistModel, assistKey: key, assistKeyFile: keyFile, assistSummaries: summarizes } = config
  const model = address === undefined || assistModel === undefined ? undefined : createModel({ address, model: assistModel, key, keyFile })
  const assistant = createAssistant({ model, summarizes, conversations: createConversations({ db, clock }), clock, log })
  return {
    isEnabled: assistant.isEnabled,
    routes: assistantRoutes({ assistant }),
    sockets: (deps: SocketDeps): SocketRoute[] => [chatSocket({ ...deps, assistant }), executeSocket({ ...deps, assistant })],
  }
}
