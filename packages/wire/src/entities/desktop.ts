/** Desktops and what reaches them, as lists show them. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { labelWire } from './label.ts'
import type { Label } from './label.ts'

export const desktopWire = z.object({
  os: z._default(z.string(), 'windows'),
  name: z.string(),
  /** Without the port that all desktops have. */
  addr: z._default(z.string(), ''),
  labels: listOf(labelWire),
  /** Name of the desktop service that reaches it. */
  host_id: z._default(z.string(), ''),
  /** Those that the caller may use. */
  logins: listOf(z.string()),
  /** Ours: the caller may also use logins that are not listed. */
  anyLogin: z.optional(z.boolean()),
  requiresRequest: z.optional(z.boolean()),
})
export type DesktopWire = z.output<typeof desktopWire>

export interface Desktop {
  os: string
  name: string
  addr: string
  labels: Label[]
  hostId: string
  logins: string[]
  takesOtherLogins: boolean
  /** It is only shown because of the roles that the viewer searches as: access has to be asked for. */
  requiresRequest?: true
}

export const toDesktop = (wire: DesktopWire): Desktop => ({
  os: wire.os,
  name: wire.name,
  addr: wire.addr.replace(/:3389$/, ''),
  labels: wire.labels,
  hostId: wire.host_id,
  logins: wire.logins.toSorted(),
  // Proxies that do not say so refuse what is not allowed.
  takesOtherLogins: wire.anyLogin ?? true,
  ...(wire.requiresRequest && { requiresRequest: true as const }),
})

export const desktopServiceWire = z.object({
  name: z.string(),
  hostname: z._default(z.string(), ''),
  addr: z._default(z.string(), ''),
  labels: listOf(labelWire),
})
export type DesktopServiceWire = z.output<typeof desktopServiceWire>
