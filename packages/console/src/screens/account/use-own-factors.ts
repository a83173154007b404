import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { devices } from '@sallyport/wire/calls/mfa.ts'
import { toMfaDevice } from '@sallyport/wire/entities/mfa.ts'
import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { ownFactors } from '../../parts/factors.ts'
import type { Factor } from '../../parts/factors.ts'

/** The viewer's devices; undefined until they are known. */
export function useDevices() {
  const query = useQuery(callQuery(devices))
  const rows = useMemo(() => query.data?.map(toMfaDevice), [query.data])
  return { rows, error: query.error, refetch: () => void query.refetch() }
}

/** What the viewer can prove themselves with under the cluster's mode. */
export const useOwnFactors = (rows: readonly MfaDevice[] | undefined): readonly Factor[] | undefined =>
  rows && ownFactors(config.auth.second_factor, rows)
