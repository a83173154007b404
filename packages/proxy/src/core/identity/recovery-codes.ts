/** Recovery codes: three per person, each good once. The database has their hashes, the person saw them once. */
import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { hashOf } from './secrets.ts'

export interface NewRecoveryCodes {
  codes: string[]
  /** Epoch milliseconds. */
  created: number
}

type Query = Kysely<Database> | Transaction<Database>

export interface RecoveryCodes {
  /** New codes in place of all others of the user. */
  issue(query: Query, user: string): Promise<NewRecoveryCodes>
  /** When the user's codes were made; undefined when there are none left. */
  createdAt(user: string): Promise<number | undefined>
  /** Uses a code up; false when it is none of the user's. */
  use(query: Query, user: string, code: string): Promise<boolean>
}

const count = 3
const words = 8
const consonants = 'bdfghjklmnprstvz'
const vowels = 'aiou'

/** Eight words of 16 random bits each, five letters that can be read aloud: no list of words is needed. */
export const newRecoveryCode = (): string =>
  Array.from({ length: words }, () => {
    const bits = randomBytes(2).readUInt16BE()
    const consonant = (shift: number) => consonants.charAt((bits >> shift) & 15)
    const vowel = (shift: number) => vowels.charAt((bits >> shift) & 3)
    return consonant(12) + vowel(10) + consonant(6) + vowel(4) + consonant(0)
  }).join('-')

/** As it was shown, or typed from paper: with capitals, with spaces between the words. */
const plain = (code: string): string =>
  code
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '-')

// A code has 128 random bits, so a plain hash of it tells nothing.
const keyOf = (user: string, code: string): string => hashOf(`${user}/${plain(code)}`)

export function createRecoveryCodes(db: Kysely<Database>, clock: Clock): RecoveryCodes {
  return {
    async issue(query, user) {
      const codes = Array.from({ length: count }, newRecoveryCode)
      const created = clock.now()
      await query.deleteFrom('recovery_codes').where('user', '=', user).execute()
      await query
        .insertInto('recovery_codes')
        .values(codes.map((code) => ({ hash: keyOf(user, code), user, created })))
        .execute()
      return { codes, created }
    },
    async createdAt(user) {
      return (await db.selectFrom('recovery_codes').select('created').where('user', '=', user).limit(1).executeTakeFirst())?.created
    },
    async use(query, user, code) {
      const [used] = await query.deleteFrom('recovery_codes').where('hash', '=', keyOf(user, code)).execute()
      return Number(used?.numDeletedRows ?? 0) === 1
    },
  }
}

export const codesWire = ({ codes, created }: NewRecoveryCodes) => ({ codes, created: new Date(created).toISOString() })
