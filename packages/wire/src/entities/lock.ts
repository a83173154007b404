/** Locks: what keeps people, roles, logins, machines and devices out until it is lifted or has expired. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { mfaDeviceWire } from './mfa.ts'
import { wireDate } from './wire-date.ts'

/** What a lock may name, as the wire spells it → how it is called in a sentence of a refusal. */
export const lockTargets = {
  user: 'User',
  role: 'Role',
  login: 'Login',
  node: 'Node',
  mfa_device: 'MFADevice',
  windows_desktop: 'WindowsDesktop',
  access_request: 'AccessRequest',
  device: 'Device',
} as const
export type LockTarget = keyof typeof lockTargets
export const lockTargetNames = Object.keys(lockTargets) as LockTarget[]
/** Set members only. Whoever matches any one of them is locked out. */
export type LockTargets = Partial<Record<LockTarget, string>>

const member = z.optional(z.string().check(z.maxLength(255)))
const members = {
  user: member,
  role: member,
  login: member,
  node: member,
  mfa_device: member,
  windows_desktop: member,
  access_request: member,
  device: member,
}
/** `server_id` is what later peers call `node`. Empty members count as not set. */
export const lockTargetsWire = z.pipe(
  z.object({ ...members, server_id: member }),
  z.transform(({ server_id, ...targets }): LockTargets => {
    const all = { ...targets, node: targets.node || server_id }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''))
  }),
)

export const lockWire = z.object({
  name: z.string(),
  message: z._default(z.string(), ''),
  /** Empty when the lock has no end. */
  expires: z._default(z.string(), ''),
  createdAt: z._default(z.string(), ''),
  createdBy: z._default(z.string(), ''),
  targets: z._default(lockTargetsWire, {}),
})
export type LockWire = z.input<typeof lockWire>
export const locksWire = listOf(lockWire)

export const lockMessageMaxLength = 512

export interface Lock {
  id: string
  message: string
  /** Undefined: it holds until somebody lifts it. */
  expires: Date | undefined
  created: Date | undefined
  createdBy: string
  targets: LockTargets
}

export const toLock = (wire: z.output<typeof lockWire>): Lock => ({
  id: wire.name,
  message: wire.message,
  expires: wireDate(wire.expires),
  created: wireDate(wire.createdAt),
  createdBy: wire.createdBy,
  targets: wire.targets,
})

export const lockEffectWire = z.object({
  /** It would keep out whoever asks. */
  self: z.boolean(),
  /** Nobody who may administer users and roles would be left who can sign in. */
  lastAdministrator: z.boolean(),
  /** People it would keep out, their sign-ins that would end, and terminals that would close. */
  users: z.number(),
  signIns: z.number(),
  terminals: z.number(),
})
export type LockEffect = z.output<typeof lockEffectWire>

/** A second-factor device with its owner. */
export const ownedMfaDevicesWire = listOf(z.extend(mfaDeviceWire, { user: z.string() }))
