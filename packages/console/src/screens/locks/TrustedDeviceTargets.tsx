import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { list } from '@sallyport/wire/calls/devices.ts'
import { osTitleOf } from '@sallyport/wire/entities/device.ts'
import { callQuery } from '../../api/queries.ts'
import { choiceColumns, ChoiceTable } from '../../parts/choose/ChoiceTable.tsx'
import type { ChoiceRow } from '../../parts/choose/ChoiceTable.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import type { TargetListProps } from './target-lists.tsx'

const columns = choiceColumns(['Asset tag', 'OS', 'Owner'])

/** Not to be confused with the devices of second factors. */
export function TrustedDeviceTargets({ search }: TargetListProps) {
  const clusterId = useClusterId()
  const query = useQuery(callQuery(list, { params: { clusterId } }))
  const rows = useMemo(
    () =>
      query.data?.items.map(({ id, assetTag, osType, owner }): ChoiceRow => ({
        choice: { kind: 'device', value: id, name: assetTag },
        texts: [assetTag, osTitleOf(osType), owner],
      })),
    [query.data],
  )
  return (
    <ChoiceTable
      label="Targets"
      nothing="There is nothing of this kind to lock."
      columns={columns}
      rows={rows}
      things="trusted devices"
      rule="device: list"
      search={search}
      query={query}
    />
  )
}
