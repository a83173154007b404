import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type * as calls from '@sallyport/wire/calls/cluster-config.ts'
import { warningsField, warningsWire } from '@sallyport/wire/entities/cluster-config.ts'
import type { ClusterConfigWire, SettingSource, SettingValue } from '@sallyport/wire/entities/cluster-config.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { request } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { toasts } from '../../ui/toast.ts'

type Read = typeof calls.readNetworking
type Write = typeof calls.writeNetworking
/** By field; undefined is the default. */
type Draft = Readonly<Record<string, SettingValue | undefined>>

export interface EditedDocument {
  document: ClusterConfigWire | undefined
  error: Error | null
  reload: () => void
  isDirty: boolean
  value: (field: string) => SettingValue | undefined
  source: (field: string) => SettingSource
  set: (field: string, value: SettingValue | undefined) => void
  discard: () => void
  /** Resolves with what the change would do, when that has to be confirmed first. */
  save: (force: boolean) => Promise<string[]>
}

/** A document of settings with the viewer's changes over it. */
export function useDocument(read: Read, write: Write): EditedDocument {
  const query = useQuery(callQuery(read))
  const [draft, setDraft] = useState<Draft>({})
  const document = query.data
  const value = (field: string): SettingValue | undefined =>
    field in draft ? (draft[field] ?? document?.defaults[field]) : document?.spec[field]
  const source = (field: string): SettingSource => {
    const known = document?.sources[field] ?? 'default'
    if (known === 'file' || !(field in draft)) return known
    return draft[field] === undefined ? 'default' : 'dynamic'
  }
  return {
    document,
    error: document ? null : query.error,
    reload: () => {
      setDraft({})
      void query.refetch()
    },
    isDirty: Object.keys(draft).length > 0,
    value,
    source,
    set: (field, next) => setDraft((now) => ({ ...now, [field]: next })),
    discard: () => setDraft({}),
    async save(force) {
      if (!document) return []
      const spec = Object.fromEntries(
        Object.keys(document.spec).flatMap((field) => (source(field) === 'dynamic' ? [[field, value(field)]] : [])),
      )
      try {
        const answer = await request(write, { body: { spec, revision: document.metadata.revision, force } })
        queryClient.setQueryData(callQuery(read).queryKey, answer)
      } catch (error) {
        const warnings = error instanceof ApiError ? warningsWire.safeParse(error.fields[warningsField]) : undefined
        if (warnings?.success) return warnings.data
        throw error
      }
      setDraft({})
      toasts.show({ kind: 'ok', title: 'Settings saved', body: 'They are in force now.' })
      return []
    },
  }
}
