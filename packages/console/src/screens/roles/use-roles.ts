import { useQuery } from '@tanstack/react-query'
import { list, presets } from '@sallyport/wire/calls/roles.ts'
import type { ResourceItem } from '@sallyport/wire/entities/resource-item.ts'
import { useMemo } from 'react'
import { callQuery } from '../../api/queries.ts'

export interface RoleRow {
  role: ResourceItem
  /** Comes a moment after the list: it needs the YAML parser. */
  summary: string | undefined
  description: string
  /** As every cluster starts with it; undefined when it is no preset. */
  preset: string | undefined
}

/** The roles, what they grant, and which of them every cluster starts with. */
export function useRoles() {
  const query = useQuery(callQuery(list))
  const preset = useQuery(callQuery(presets))
  const summaries = useQuery({
    queryKey: ['roles.summaries', query.dataUpdatedAt],
    enabled: query.data !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }) => (await import('./role-summary.ts')).summariesOf(query.data ?? [], signal),
  })
  const rows = useMemo(() => {
    const presetOf = new Map(preset.data?.map(({ name, content }) => [name, content]))
    return query.data?.map((role): RoleRow => {
      const summary = summaries.data?.get(role.name)
      return {
        role,
        summary: summary?.text,
        description: summary?.description ?? role.description ?? '',
        preset: presetOf.get(role.name),
      }
    })
  }, [query.data, preset.data, summaries.data])
  return { query, rows }
}
