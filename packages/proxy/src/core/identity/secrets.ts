/** Random ids and tokens, and the form in which they are stored. */
import { createHash, randomBytes } from 'node:crypto'

export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** A token of full entropy is stored as its plain SHA-256: nobody can find it from that. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
