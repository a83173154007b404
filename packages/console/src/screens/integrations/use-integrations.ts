import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { list, remove } from '@sallyport/wire/calls/integrations.ts'
import * as plugins from '@sallyport/wire/calls/plugins.ts'
import { rowOfIntegration, rowOfPlugin, toIntegration } from '@sallyport/wire/entities/integration.ts'
import type { Integration, IntegrationRow, PluginWire } from '@sallyport/wire/entities/integration.ts'
import { request } from '../../api/page.ts'
import { queryClient } from '../../api/queries.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { useUserContext } from '../../parts/user-context.tsx'

export async function refreshIntegrations(): Promise<void> {
  await Promise.all([list, plugins.list].map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })))
}

async function readIntegrations(clusterId: string, signal: AbortSignal): Promise<Integration[]> {
  const all: Integration[] = []
  for (let startKey = ''; ;) {
    const { items, nextKey } = await request(list, { params: { clusterId }, query: { limit: 1000, startKey } }, { signal })
    all.push(...items.map(toIntegration))
    if (nextKey === '' || nextKey === startKey) return all
    startKey = nextKey
  }
}

/** A proxy without plugins has no such call. */
async function readPlugins(clusterId: string, signal: AbortSignal): Promise<PluginWire[]> {
  try {
    return (await request(plugins.list, { params: { clusterId } }, { signal })).items
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

/** Both lists, each by itself: what fails of one hides nothing of the other. */
export function useIntegrations() {
  const { acl, cluster } = useUserContext()
  const { clusterId } = cluster
  const integrations = useQuery({
    queryKey: [list.id, clusterId],
    queryFn: ({ signal }) => readIntegrations(clusterId, signal),
    enabled: acl.integrations.list,
  })
  const others = useQuery({
    queryKey: [plugins.list.id, clusterId],
    queryFn: ({ signal }) => readPlugins(clusterId, signal),
    enabled: acl.plugins.list,
  })
  const isLoading = integrations.isLoading || others.isLoading
  const rows = useMemo(
    (): IntegrationRow[] | undefined =>
      isLoading ? undefined : [...(integrations.data ?? []).map(rowOfIntegration), ...(others.data ?? []).map(rowOfPlugin)],
    [isLoading, integrations.data, others.data],
  )
  return { integrations, plugins: others, rows }
}

export async function removeRow(clusterId: string, { resourceType, name }: IntegrationRow): Promise<void> {
  await (resourceType === 'integration'
    ? request(remove, { params: { clusterId, name } })
    : request(plugins.remove, { params: { clusterId, name } }))
  await refreshIntegrations()
}
