/** Devices as documents for export and import, with the keys that they enrolled with. */
import type { Audit } from '../audit/audit.ts'
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import { deviceFields, deviceKind } from './device.ts'
import type { DeviceStore } from './device.ts'
import type { Devices } from './devices.ts'

export interface ManagedDevicesDeps {
  store: DeviceStore
  devices: Pick<Devices, 'remove'>
  audit: Pick<Audit, 'emit'>
}

export const managedDevices = ({ store, devices, audit }: ManagedDevicesDeps): ManagedKind => ({
  kind: deviceKind.kind,
  aliases: [],
  names: async () => (await store.list()).map(({ metadata }) => metadata.name),
  async read(name) {
    const device = await store.require(name)
    return writeResource(deviceKind, { ...device, metadata: { ...device.metadata, revision: '' } })
  },
  async apply(document, { force, by }) {
    const { metadata, spec } = toResource(deviceKind, document)
    const exists = (await store.get(metadata.name)) !== undefined
    if (exists && !force) throw refuseExisting(deviceKind.kind, metadata.name)
    await audit.emit(exists ? 'TV007I' : 'TV001I', { user: by, success: true, ...deviceFields(metadata.name, spec) })
    const input = { metadata: { ...metadata, revision: '' }, spec }
    await (exists ? store.update(input) : store.create(input))
    return exists ? 'replaced' : 'created'
  },
  remove: (name, by) => devices.remove(name, by),
})
