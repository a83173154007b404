/** Passwords: argon2id off the event loop, few at a time, and the same time for users that do not exist. */
import { hash, verify } from '@node-rs/argon2'
import { passwordMaxLength, passwordMinLength } from '@sallyport/wire/limits.ts'
import { badParameter, limitExceeded } from '../errors.ts'
import { randomHex } from './secrets.ts'
import { takeTurns } from './take-turns.ts'

/** 19 MiB, two passes, one lane: what OWASP names for argon2id (the library's default algorithm). */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** At once; more would only take turns on the same processors and memory. */
const concurrency = 2
/** Waiting; beyond it callers are turned away rather than piled up. */
const maxWaiting = 256

export interface Passwords {
  hash(password: string): Promise<string>
  /** `stored` null or undefined (no such user, no password) costs the same time and is false. */
  matches(stored: string | null | undefined, password: string): Promise<boolean>
}

/** Throws the 400 of a password that is too short or too long. */
export function checkPasswordLength(password: string): void {
  const length = Buffer.byteLength(password)
  if (length < passwordMinLength) throw badParameter(`password is too short, min length is ${passwordMinLength}`)
  if (length > passwordMaxLength) throw badParameter(`password is too long, max length is ${passwordMaxLength}`)
}

/** From the base64 of its UTF-8 bytes, as most calls carry a password. Throws bad parameter. */
export function decodePassword(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch (cause) {
    throw badParameter('request: the password is no UTF-8 text in base64', { cause })
  }
}

export function createPasswords(): Passwords {
  const turns = takeTurns({
    atOnce: concurrency,
    waiting: maxWaiting,
    refusal: () => limitExceeded('too many sign-ins at the moment, try again in a few seconds'),
  })
  const nobody = turns(() => hash(randomHex(16), cost))
  nobody.catch(() => {}) // told to whoever asks first
  return {
    hash: (password) => turns(() => hash(password, cost)),
    async matches(stored, password) {
      // Longer ones are never set; hashing them would be work for an attacker to order.
      const candidate = Buffer.byteLength(password) > passwordMaxLength ? '' : password
      const target = stored ?? (await nobody)
      const same = await turns(() => verify(target, candidate))
      return same && stored !== null && stored !== undefined && candidate === password
    },
  }
}
