import { useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { remove } from '@sallyport/wire/calls/devices.ts'
import { osTitleOf } from '@sallyport/wire/entities/device.ts'
import type { Device } from '@sallyport/wire/entities/device.ts'
import { featureRules } from '@sallyport/wire/routes.ts'
import { config, request } from '../../api/page.ts'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { LockedFeature } from '../../parts/LockedFeature.tsx'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { confirm } from '../../ui/confirm.ts'
import { PageHead } from '../../ui/PageHead.tsx'
import { toasts } from '../../ui/toast.ts'
import { AddDevice } from './AddDevice.tsx'
import { deviceColumns } from './device-columns.tsx'
import { EnrollToken } from './EnrollToken.tsx'
import { refreshDevices, sourceWord, statusWord, useDevices } from './use-devices.ts'

const devicesList = {
  title: 'Trusted devices',
  one: 'device',
  many: 'devices',
  rule: 'device: list',
  order: { fields: ['tag', 'status'] },
  hints: [
    ['j k', 'move'],
    ['m', 'menu'],
  ],
  keyOf: ({ id }: Device): string => id,
  textOf: (device: Device): string =>
    [device.assetTag, osTitleOf(device.osType), statusWord(device), device.owner, sourceWord(device)].join(' '),
} as const
const search = z.object({ ...wholeListShape(devicesList.order), new: z.optional(z.literal('yes')) })

/** The devices from which roles may ask people to come. */
export function Devices() {
  return config.isUsageBasedBilling ? <Locked /> : <List />
}

function Locked() {
  return (
    <>
      <PageHead title="Trusted devices" />
      <LockedFeature feature="trustedDevices" title="Trusted devices are locked">
        This plan does not include trusted devices. With them, roles open servers, databases and applications to enrolled machines alone.
      </LockedFeature>
    </>
  )
}

function List() {
  const { acl } = useUserContext()
  const may = acl.deviceTrust
  const [address, setAddress] = useSearchState(search)
  const { query, devices, clusterId } = useDevices()
  const [enrolling, setEnrolling] = useState<Device>()
  const columns = useMemo(() => {
    const askToRemove = ({ id, assetTag }: Device): void =>
      confirm({
        title: `Remove device ${assetTag}?`,
        body: 'Sessions that were opened from it end. Until it is added and enrolled again it opens nothing that asks for a trusted device.',
        action: 'Remove device',
        danger: true,
        run: async () => {
          await request(remove, { params: { clusterId, id } })
          await refreshDevices()
          toasts.show({ title: `Device ${assetTag} removed` })
        },
      })
    return deviceColumns({
      mayEnroll: may.create,
      mayLock: featureRules.newLocks(acl),
      mayRemove: may.remove,
      enroll: setEnrolling,
      remove: askToRemove,
    })
  }, [acl, may, clusterId])
  const list = useWholeList(devicesList, { columns, rows: devices, address, setAddress })
  return (
    <>
      <WholeList
        list={list}
        texts={devicesList}
        query={query}
        add={{
          label: 'Add device',
          whyNot: may.create ? undefined : 'You need permission to add devices (device: create)',
          run: () => setAddress({ new: 'yes' }),
        }}
        nothing={{
          title: 'No trusted devices',
          text: "A device with Linux and a TPM 2.0 enrolls once and proves itself at every sign-in of sallyport's command line. Roles with device_trust_mode: required open nothing to anybody else, and nothing in a browser.",
        }}
      />
      {address.new && may.create && <AddDevice onClose={() => setAddress({ new: undefined })} />}
      {enrolling && <EnrollToken device={enrolling} onClose={() => setEnrolling(undefined)} />}
    </>
  )
}
