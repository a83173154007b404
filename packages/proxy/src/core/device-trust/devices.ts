/** The devices of the cluster: added and removed by administrators, known by everything that asks whether one is trusted. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { alreadyExists } from '../errors.ts'
import { hashOf } from '../identity/secrets.ts'
import type { Log } from '../log.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { deviceFields, deviceKind, idOfProved, trustedDevice } from './device.ts'
import type { Device, DeviceSpecInput, DeviceStore, TrustedDevice } from './device.ts'

/** Whoever adds a device passes its token on at once. */
const tokenLife = 30 * 60_000

export interface Devices extends Disposable {
  list(): Promise<Device[]>
  /** Throws already exists. */
  add(device: Pick<DeviceSpecInput, 'os_type' | 'asset_tag'>, by: string): Promise<Device>
  /** A new token, which nobody can read again. Throws not found. */
  createToken(id: string, by: string): Promise<{ token: string; expires: string }>
  /** Throws not found. What it has proved counts no more. */
  remove(id: string, by: string): Promise<void>
  /** The device that a certificate of `user` names; undefined once it is removed, has another key or belongs to somebody else. */
  known(proved: string | undefined, user: string): Promise<TrustedDevice | undefined>
  /** Calls once, when the device is known no more. */
  watch(device: TrustedDevice, onGone: () => void): Disposable
}

export interface DevicesDeps {
  store: DeviceStore
  feed: Pick<ChangeFeed, 'subscribe'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
  log: Pick<Log, 'error'>
}

interface Watcher {
  readonly device: TrustedDevice
  readonly onGone: () => void
}

export function createDevices({ store, feed, audit, clock, log }: DevicesDeps): Devices {
  const watchers = new Set<Watcher>()
  async function known(proved: string | undefined, user: string): Promise<TrustedDevice | undefined> {
    const device = proved === undefined ? undefined : await store.get(idOfProved(proved))
    const trusted = device && trustedDevice(device)
    return trusted?.proved === proved && trusted?.owner === user ? trusted : undefined
  }
  async function check(watcher: Watcher): Promise<void> {
    const { proved, owner } = watcher.device
    if ((await known(proved, owner)) === undefined && watchers.delete(watcher)) watcher.onGone()
  }
  const checkAll = (some: Iterable<Watcher>): void =>
    void Promise.all([...some].map(check)).catch((error: unknown) => log.error({ err: error }, 'the trusted devices could not be read'))
  const changes = feed.subscribe(({ kind }) => {
    if (kind === deviceKind.kind) checkAll(watchers)
  })

  return {
    list: () => store.list(),
    async add(given, by) {
      const isTaken = ({ spec }: Device): boolean => spec.asset_tag === given.asset_tag && spec.os_type === given.os_type
      if ((await store.list()).some(isTaken)) throw alreadyExists(`a device with the asset tag "${given.asset_tag}" is registered already`)
      const id = randomUUID()
      await audit.emit('TV001I', { user: by, success: true, ...deviceFields(id, given) })
      return store.create({ metadata: { name: id }, spec: given })
    },
    async createToken(id, by) {
      const device = await store.require(id)
      const token = randomBytes(24).toString('base64url')
      const expires = new Date(clock.now() + tokenLife).toISOString()
      await audit.emit('TV003I', { user: by, success: true, ...deviceFields(id, device.spec) })
      await store.update({ ...device, spec: { ...device.spec, token: { hash: hashOf(token), expires } } })
      return { token, expires }
    },
    async remove(id, by) {
      const device = await store.require(id)
      await audit.emit('TV002I', { user: by, success: true, ...deviceFields(id, device.spec) })
      await store.delete(id)
    },
    known,
    watch(device, onGone) {
      const watcher = { device, onGone }
      watchers.add(watcher)
      // It may have gone before anybody watched.
      checkAll([watcher])
      return { [Symbol.dispose]: () => watchers.delete(watcher) }
    },
    [Symbol.dispose]: () => changes[Symbol.dispose](),
  }
}
