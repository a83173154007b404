/** The one list of resource kinds that this product reaches. */
import { app } from './app.ts'
import { ssh } from './ssh.ts'

export const kinds = { app, ssh } as const
export type Kind = keyof typeof kinds
