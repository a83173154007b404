import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { list } from '@sallyport/wire/calls/devices.ts'
import { toDevice } from '@sallyport/wire/entities/device.ts'
import type { Device } from '@sallyport/wire/entities/device.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { useClusterId } from '../../parts/use-route.ts'

export const statusWord = ({ isEnrolled }: Pick<Device, 'isEnrolled'>): string => (isEnrolled ? 'Enrolled' : 'Not enrolled')
export const sourceWord = ({ source }: Pick<Device, 'source'>): string => (source === 'manual' ? 'Manual' : source.toUpperCase())

export const refreshDevices = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [list.id] })

export function useDevices() {
  const clusterId = useClusterId()
  const query = useQuery(callQuery(list, { params: { clusterId } }))
  const devices = useMemo(() => query.data?.items.map(toDevice), [query.data])
  return { query, devices, clusterId }
}
