import { useState } from 'react'
import { create, createToken } from '@sallyport/wire/calls/devices.ts'
import { assetTagMaxLength, enrollableOsTypes, osTitleOf } from '@sallyport/wire/entities/device.ts'
import { request } from '../../api/page.ts'
import { MakeOnce } from '../../parts/made/MakeOnce.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { Select } from '../../ui/Select.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { EnrollSteps } from './EnrollToken.tsx'
import { refreshDevices } from './use-devices.ts'

const systems = enrollableOsTypes.map((osType) => ({ value: osType, label: osTitleOf(osType) }))

/** Registers a device and shows what enrolls it. */
export function AddDevice({ onClose }: { onClose: () => void }) {
  const clusterId = useClusterId()
  const [osType, setOsType] = useState<(typeof enrollableOsTypes)[number]>('linux')
  const [tag, setTag] = useState('')
  const [added, setAdded] = useState<{ id: string; assetTag: string }>()
  const assetTag = tag.trim()
  const make = async () => {
    // What was added already lacks its token only.
    const device = added ?? (await request(create, { params: { clusterId }, body: { osType, assetTag } }))
    setAdded(device)
    void refreshDevices()
    return request(createToken, { params: { clusterId, id: device.id } })
  }
  return (
    <MakeOnce
      width={600}
      title={added ? `Device ${added.assetTag} added` : 'Add device'}
      action={added ? 'Make enroll token' : 'Add device'}
      cancel={added ? 'Close' : 'Cancel'}
      failed={added ? 'The device is added, but there is no enroll token for it.' : 'Could not add the device.'}
      isReady={assetTag !== ''}
      make={make}
      show={(made) => ({ title: `Device ${assetTag} added`, children: <EnrollSteps made={made} /> })}
      onClose={onClose}
    >
      {({ busy, checked }) => (
        <>
          <TextField
            label="Asset tag"
            help="The serial number, as it stands on the device or in your inventory."
            required
            mono
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-1p-ignore=""
            maxLength={assetTagMaxLength}
            value={tag}
            disabled={busy || added !== undefined}
            error={checked && assetTag === '' ? 'Enter the serial number' : undefined}
            onChange={(event) => setTag(event.target.value)}
          />
          <Select
            label="Operating system"
            help="A device proves itself with a key in its TPM 2.0, which takes Linux and sallyport's command line."
            options={systems}
            value={osType}
            disabled={busy || added !== undefined}
            onValue={setOsType}
          />
        </>
      )}
    </MakeOnce>
  )
}
