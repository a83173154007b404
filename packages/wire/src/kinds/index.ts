/** The one list of resource kinds that this product reaches. */
import { ssh } from './ssh.ts'

export const kinds = { ssh } as const
export type Kind = keyof typeof kinds
