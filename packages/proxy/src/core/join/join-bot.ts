/** A bot that joins: a machine that shows a token gets certificates for its key, as a person does who signs in. */
import type { AnswerInput, BodyOf } from '@sallyport/wire/call.ts'
import type { joinBot } from '@sallyport/wire/calls/join.ts'
import { defaultJoinMethod } from '@sallyport/wire/limits.ts'
import type { Audit } from '../audit/audit.ts'
import { readPublicKey } from '../certificates.ts'
import type { Certificates } from '../certificates.ts'
import { accessDenied, AppError } from '../errors.ts'
import type { People } from '../identity/people.ts'
import type { Client } from '../route.ts'
import { botOf, botUserName } from '../users.ts'
import type { UserStore } from '../users.ts'
import { safeNameOf } from './join-token.ts'
import type { JoinTokens } from './join-tokens.ts'

type BotRequest = BodyOf<typeof joinBot>

export interface JoinBotDeps {
  tokens: Pick<JoinTokens, 'redeem'>
  users: Pick<UserStore, 'get'>
  people: Pick<People, 'find'>
  certificates: Pick<Certificates, 'issue'>
  audit: Pick<Audit, 'emit'>
}

/** Throws access denied (the token, the bot, a lock) and bad parameter (the key). */
export type JoinBot = (request: BotRequest, client: Client) => Promise<AnswerInput<typeof joinBot>>

/** The longest that certificates of bots live, in milliseconds: a bot joins again whenever it needs some. */
const longest = 3_600_000
const nanoseconds = 1_000_000

export function createJoinBot({ tokens, users, people, certificates, audit }: JoinBotDeps): JoinBot {
  return async ({ token, bot, pub_key, ttl }, client) => {
    const user = botUserName(bot)
    const about = {
      bot_name: bot,
      user,
      user_kind: 2,
      method: defaultJoinMethod,
      token_name: safeNameOf(token, defaultJoinMethod),
      'addr.remote': client.address,
    }
    try {
      const { key } = readPublicKey(pub_key)
      // Before anything is looked up: without a good token nobody learns which bots there are.
      await tokens.redeem(token, 'Bot', bot)
      const known = await users.get(user)
      const person = known && botOf(known) === bot ? await people.find(user) : undefined
      if (!person) throw accessDenied(`there is no bot "${bot}" in this cluster; an administrator makes it as the user ${user}`)
      const lifetime = Math.min(ttl / nanoseconds || longest, longest)
      const answer = await certificates.issue({ person, publicKey: key, ttl: lifetime, client })
      await audit.emit('TJ001I', { ...about, success: true })
      return answer
    } catch (error) {
      if (error instanceof AppError) await audit.emit('TJ001E', { ...about, success: false, error: error.detail ?? error.message })
      throw error
    }
  }
}
