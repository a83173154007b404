/** The one list of resource kinds that this product reaches. */
import { app } from './app.ts'
import { desktop } from './desktop.ts'
import { kube } from './kube.ts'
import { ssh } from './ssh.ts'

export const kinds = { app, desktop, kube, ssh } as const
export type Kind = keyof typeof kinds
