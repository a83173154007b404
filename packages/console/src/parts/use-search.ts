import { useCallback, useMemo } from 'react'
import * as z from 'zod/mini'
import { appHistory } from './navigation.ts'
import { usePlace } from './place.tsx'
import { formatSearch, parseSearch } from './search-string.ts'
import type { SearchFields } from './search-string.ts'

export type SetSearch<S> = (patch: { [K in keyof S]?: S[K] | undefined } & SearchFields, options?: { replace?: boolean }) => void

/**
 * The search string of the address as a checked object, and the way to change some of its fields. What does not fit
 * the schema counts as absent. By default a change is a step that Back undoes; typing uses `replace`.
 */
export function useSearchState<T extends z.core.$ZodLooseShape>(
  schema: z.ZodMiniObject<T>,
): [z.output<z.ZodMiniObject<T>>, SetSearch<z.output<z.ZodMiniObject<T>>>] {
  const { search: raw } = usePlace()
  const value = useMemo(() => {
    const known = Object.entries(schema.shape).filter(
      ([name, field]) => name in raw && z.safeParse(field as z.ZodMiniType, raw[name]).success,
    )
    return schema.parse(Object.fromEntries(known.map(([name]) => [name, raw[name]])))
  }, [schema, raw])
  const set = useCallback<SetSearch<z.output<z.ZodMiniObject<T>>>>((patch, { replace } = {}) => {
    const { pathname, search, hash } = appHistory.location
    const address = pathname + formatSearch({ ...parseSearch(search), ...patch }) + hash
    if (replace) appHistory.replace(address)
    else appHistory.push(address)
  }, [])
  return [value, set]
}
