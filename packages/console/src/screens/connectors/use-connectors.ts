import { useQuery } from '@tanstack/react-query'
import { readDefault } from '@sallyport/wire/calls/connectors.ts'
import type { DefaultConnector } from '@sallyport/wire/entities/connector.ts'
import type { ResourceItem } from '@sallyport/wire/entities/resource-item.ts'
import { useMemo } from 'react'
import { callQuery } from '../../api/queries.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { kindCalls } from './kinds.ts'
import type { Kind } from './kinds.ts'

export interface Connector {
  kind: Kind
  item: ResourceItem
  isDefault: boolean
}

export interface Connectors {
  /** The default one first, then by name. Undefined until every list is here. */
  connectors: Connector[] | undefined
  fallback: DefaultConnector | undefined
  error: Error | null
  refetch: () => void
}

/** Every connector of every kind, and which of them sign-in offers first. A peer without a kind or a default lacks those only. */
export function useConnectors(): Connectors {
  const github = useQuery(callQuery(kindCalls.github.list))
  const oidc = useQuery(callQuery(kindCalls.oidc.list))
  const saml = useQuery(callQuery(kindCalls.saml.list))
  const chosen = useQuery(callQuery(readDefault))
  const lists = [github, oidc, saml]
  const settled = lists.every((query) => !query.isPending) && !chosen.isPending
  const fallback = chosen.data
  const connectors = useMemo(() => {
    const of = (kind: Kind, items: readonly ResourceItem[] = []): Connector[] =>
      items.map((item) => ({ kind, item, isDefault: fallback?.type === kind && fallback.name === item.name }))
    return [...of('github', github.data), ...of('oidc', oidc.data), ...of('saml', saml.data)].toSorted(
      (a, b) => Number(b.isDefault) - Number(a.isDefault) || a.item.name.localeCompare(b.item.name, 'en'),
    )
  }, [github.data, oidc.data, saml.data, fallback])
  const failed = lists.find((query) => query.error && !isNotFound(query.error))
  return {
    connectors: settled && (connectors.length > 0 || !failed) ? connectors : undefined,
    fallback,
    error: failed?.error ?? null,
    refetch: () => {
      for (const query of lists) void query.refetch()
      void chosen.refetch()
    },
  }
}
