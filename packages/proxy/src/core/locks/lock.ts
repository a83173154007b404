/** Locks as documents, and who one of them hits. */
import { lockMessageMaxLength, lockTargetNames, lockTargets, lockTargetsWire } from '@sallyport/wire/entities/lock.ts'
import type { LockTarget, LockTargets } from '@sallyport/wire/entities/lock.ts'
import { z } from 'zod'
import type { Actor } from '../caller.ts'
import { AppError } from '../errors.ts'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from '../resources/resources.ts'

const time = z.iso.datetime({ offset: true })
const member = z
  .string()
  .max(255)
  .nullish()
  .transform((value) => value ?? undefined)
const members = {
  user: member,
  role: member,
  login: member,
  node: member,
  server_id: member,
  mfa_device: member,
  windows_desktop: member,
  access_request: member,
  device: member,
} satisfies Record<LockTarget | 'server_id', typeof member>

const lockSpec = z.strictObject({
  target: z
    .strictObject(members)
    .transform((given) => lockTargetsWire.parse(given))
    .refine((target) => Object.keys(target).length > 0, { message: 'at least one target field must be set' }),
  message: z.string().max(lockMessageMaxLength).default(''),
  /** Absent: until somebody lifts it. */
  expires: time.nullish().transform((expires) => expires ?? undefined),
  created_at: time.optional(),
  created_by: z.string().max(255).optional(),
})
export type LockSpec = z.output<typeof lockSpec>
export type LockSpecInput = z.input<typeof lockSpec>
export type Lock = Resource<LockSpec>
export type LockInput = ResourceInput<LockSpecInput>
export type LockStore = ResourceStore<LockSpec, LockSpecInput>

export const lockKind: ResourceKind<LockSpec, LockSpecInput> = {
  kind: 'lock',
  versions: ['v2'],
  spec: () => lockSpec,
  existsText: (name) => `lock "${name}" already exists`,
  missingText: (name) => `lock "${name}" is not found`,
}

/** Whether sessions go on while the locks cannot be read. */
export type LockingMode = 'strict' | 'best_effort'

/** Everything about somebody, or about what they do, that a lock may name. */
export interface LockSubject {
  readonly user?: string | undefined
  readonly roles?: readonly string[]
  readonly login?: string | undefined
  /** Id of the server. */
  readonly node?: string | undefined
  /** Id of the second-factor device with which they signed in. */
  readonly mfaDevice?: string | undefined
  readonly windowsDesktop?: string | undefined
  readonly accessRequests?: readonly string[] | undefined
  /** Id of the trusted device from which they come. */
  readonly device?: string | undefined
  /** What the roles say; undefined leaves it to the cluster. */
  readonly mode?: LockingMode | undefined
}

export const subjectOfCaller = ({
  username,
  roles,
  mfaDevice,
  trustedDevice,
  access,
  assumed = [],
}: Omit<Actor, 'signal' | 'traits'>): LockSubject => ({
  user: username,
  // Those that hold for some resources only are locked as well.
  roles: [...new Set([...roles, ...assumed.flatMap((request) => request.roles)])],
  mfaDevice,
  device: trustedDevice?.id,
  accessRequests: assumed.map(({ id }) => id),
  mode: access.options.lockMode,
})

/** The refusal of somebody who is locked out. */
export class LockRefusal extends AppError {
  constructor(reason: string) {
    super('access_denied', reason)
  }
}

export const probeKey = (target: LockTarget, value: string): string => `${target}:${value}`
export const probesOfTargets = (targets: LockTargets): string[] =>
  lockTargetNames.flatMap((name) => (targets[name] === undefined ? [] : [probeKey(name, targets[name])]))

/** What has to be looked up for somebody. */
export function probesOf(subject: LockSubject): string[] {
  const one = (name: LockTarget, value: string | undefined): string[] => (value === undefined ? [] : [probeKey(name, value)])
  return [
    ...one('user', subject.user),
    ...(subject.roles ?? []).map((role) => probeKey('role', role)),
    ...one('login', subject.login),
    ...one('node', subject.node),
    ...one('mfa_device', subject.mfaDevice),
    ...one('windows_desktop', subject.windowsDesktop),
    ...(subject.accessRequests ?? []).map((id) => probeKey('access_request', id)),
    ...one('device', subject.device),
  ]
}

/** `lock targeting User:"bob" is in force: MESSAGE` */
export function reasonOf({ spec: { target, message } }: Lock): string {
  const what = lockTargetNames.flatMap((name) =>
    target[name] === undefined ? [] : [`${lockTargets[name]}:${JSON.stringify(target[name])}`],
  )
  return `lock targeting ${what.join(' ')} is in force${message === '' ? '' : `: ${message}`}`
}

/** Epoch milliseconds; infinity for a lock without an end. */
export const expiryOf = ({ spec }: Lock): number => (spec.expires === undefined ? Infinity : Date.parse(spec.expires))

/** Whether one of some locks would name somebody. */
export function isHit(targets: readonly LockTargets[], subject: LockSubject): boolean {
  const probes = new Set(probesOf(subject))
  return targets.some((target) => probesOfTargets(target).some((probe) => probes.has(probe)))
}
