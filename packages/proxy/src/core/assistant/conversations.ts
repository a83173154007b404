/** Conversations with the assistant and what was said in them. Each belongs to one user; to others it does not exist. */
import { randomUUID } from 'node:crypto'
import type { KeptType } from '@sallyport/wire/entities/assistant.ts'
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { limitExceeded, notFound } from '../errors.ts'

export interface Conversation {
  id: string
  /** Empty until it has one. */
  title: string
  /** Epoch milliseconds. */
  created: number
}

export interface KeptMessage {
  type: KeptType
  payload: string
  /** Epoch milliseconds. */
  created: number
}

export interface Conversations {
  /** Oldest first. */
  list(user: string): Promise<Conversation[]>
  /** Throws limit exceeded. */
  create(user: string): Promise<string>
  /** Throws not found, as all below do. */
  require(user: string, id: string): Promise<void>
  /** Oldest first. */
  messages(user: string, id: string): Promise<KeptMessage[]>
  /** Throws limit exceeded as well. */
  append(user: string, id: string, message: Pick<KeptMessage, 'type' | 'payload'>): Promise<KeptMessage>
  setTitle(user: string, id: string, title: string): Promise<void>
  remove(user: string, id: string): Promise<void>
}

const mostConversations = 500
const mostMessages = 2000

export function createConversations({ db, clock }: { db: Kysely<Database>; clock: Clock }): Conversations {
  /** What one process writes keeps its order, however fast it comes. */
  let last = 0
  const nextPosition = (): number => (last = Math.max(last + 1, clock.now() * 1000))
  const createdOf = (position: number): number => Math.floor(position / 1000)
  const absent = (id: string) => notFound(`conversation "${id}" is not found`)

  async function require(user: string, id: string): Promise<void> {
    const row = await db.selectFrom('assistant_conversations').select('id').where('id', '=', id).where('user', '=', user).executeTakeFirst()
    if (!row) throw absent(id)
  }
  async function countOf(table: 'assistant_conversations' | 'assistant_messages', column: 'user' | 'conversation', value: string) {
    const { count } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .where(column as never, '=', value as never)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  return {
    async list(user) {
      const rows = await db
        .selectFrom('assistant_conversations')
        .select(['id', 'title', 'created'])
        .where('user', '=', user)
        .orderBy('created')
        .orderBy('id')
        .execute()
      return rows
    },
    async create(user) {
      if ((await countOf('assistant_conversations', 'user', user)) >= mostConversations)
        throw limitExceeded(`you have ${mostConversations} conversations; delete some before you begin another`)
      const id = randomUUID()
      await db.insertInto('assistant_conversations').values({ id, user, title: '', created: clock.now() }).execute()
      return id
    },
    require,
    async messages(user, id) {
      await require(user, id)
      const rows = await db
        .selectFrom('assistant_messages')
        .select(['type', 'payload', 'position'])
        .where('conversation', '=', id)
        .where('user', '=', user)
        .orderBy('position')
        .execute()
      return rows.map(({ type, payload, position }) => ({ type: type as KeptType, payload, created: createdOf(position) }))
    },
    async append(user, id, { type, payload }) {
      await require(user, id)
      if ((await countOf('assistant_messages', 'conversation', id)) >= mostMessages)
        throw limitExceeded('this conversation is full; begin a new one')
      const position = nextPosition()
      await db.insertInto('assistant_messages').values({ id: randomUUID(), conversation: id, user, position, type, payload }).execute()
      return { type, payload, created: createdOf(position) }
    },
    async setTitle(user, id, title) {
      await require(user, id)
      await db.updateTable('assistant_conversations').set({ title }).where('id', '=', id).where('user', '=', user).execute()
    },
    async remove(user, id) {
      await require(user, id)
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('assistant_messages').where('conversation', '=', id).execute()
        await transaction.deleteFrom('assistant_conversations').where('id', '=', id).execute()
      })
    },
  }
}
