import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { list as listDevices } from '@sallyport/wire/calls/devices.ts'
import * as calls from '@sallyport/wire/calls/locks.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { toLock } from '@sallyport/wire/entities/lock.ts'
import type { Lock, LockTarget } from '@sallyport/wire/entities/lock.ts'
import { featureRules } from '@sallyport/wire/routes.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { useNow } from '../../ui/use-now.ts'
import { choicesOf } from './lock-kinds.ts'
import type { LockChoice } from './lock-kinds.ts'

export const lockStates = ['active', 'expired', 'permanent'] as const
export type LockState = (typeof lockStates)[number]

export interface LockRow {
  lock: Lock
  choices: readonly LockChoice[]
  state: LockState
}

const stateOf = ({ expires }: Lock, now: Date): LockState => (expires === undefined ? 'permanent' : expires <= now ? 'expired' : 'active')

export const refreshLocks = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [calls.list.id] })

/** Names for the ids of servers and devices that are locked, or are to be, as far as the viewer may know them. */
export function useNames(locks: readonly Pick<Lock, 'targets'>[]): (kind: LockTarget, value: string) => string | undefined {
  const { acl } = useUserContext()
  const clusterId = useClusterId()
  const params = { clusterId }
  const has = (kind: LockTarget): boolean => locks.some(({ targets }) => targets[kind] !== undefined)
  const servers = useQuery({ ...callQuery(nodes, { params, query: {} }), enabled: has('node') && featureRules.nodes(acl) })
  const devices = useQuery({ ...callQuery(calls.mfaDevices, { params }), enabled: has('mfa_device') && acl.users.list && acl.users.read })
  const trusted = useQuery({ ...callQuery(listDevices, { params }), enabled: has('device') && featureRules.deviceTrust(acl) })
  return useMemo(() => {
    const names = new Map<string, string>()
    for (const { id, hostname } of servers.data?.items ?? []) names.set(`node:${id}`, hostname)
    for (const { id, name, user } of devices.data ?? []) names.set(`mfa_device:${id}`, `${name} of ${user}`)
    for (const { id, assetTag } of trusted.data?.items ?? []) names.set(`device:${id}`, assetTag)
    return (kind, value) => names.get(`${kind}:${value}`)
  }, [servers.data, devices.data, trusted.data])
}

const none: readonly Lock[] = []

/** Every lock with what it is on, in words. */
export function useLocks() {
  const clusterId = useClusterId()
  const now = useNow()
  const query = useQuery(callQuery(calls.list, { params: { clusterId } }))
  const locks = useMemo(() => query.data?.map(toLock), [query.data])
  const nameOf = useNames(locks ?? none)
  const rows = useMemo(
    () => locks?.map((lock): LockRow => ({ lock, choices: choicesOf(lock.targets, nameOf), state: stateOf(lock, now) })),
    [locks, nameOf, now],
  )
  return { query, rows }
}
