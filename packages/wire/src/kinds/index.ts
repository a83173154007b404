/** The one list of resource kinds that this product reaches. */
import { app } from './app.ts'
import { db } from './db.ts'
import { desktop } from './desktop.ts'
import { kube } from './kube.ts'
import { ssh } from './ssh.ts'

export const kinds = { app, db, desktop, kube, ssh } as const
export type Kind = keyof typeof kinds
