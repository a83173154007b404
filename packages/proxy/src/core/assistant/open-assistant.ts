/** The assistant as the settings want it. */
import type { Kysely } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { createAssistant } from './assistant.ts'
import type { Assistant } from './assistant.ts'
import { createConversations } from './conversations.ts'
import { createModel } from './model.ts'

interface AssistantSettings {
  config: Pick<Config, 'assistAddress' | 'assistModel' | 'assistKey' | 'assistKeyFile' | 'assistSummaries'>
  db: Kysely<Database>
  clock: Clock
  log: Log
}

export function openAssistant({ config, db, clock, log }: AssistantSettings): Assistant {
  const { assistAddress: address, assistModel, assistKey: key, assistKeyFile: keyFile } = config
  const model = address === undefined || assistModel === undefined ? undefined : createModel({ address, model: assistModel, key, keyFile })
  return createAssistant({ model, summarizes: config.assistSummaries, conversations: createConversations({ db, clock }), clock, log })
}
