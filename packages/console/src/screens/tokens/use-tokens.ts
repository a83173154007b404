import { useQuery } from '@tanstack/react-query'
import { list } from '@sallyport/wire/calls/tokens.ts'
import { isInstallToken } from '@sallyport/wire/entities/join-token.ts'
import type { JoinTokenItem } from '@sallyport/wire/entities/join-token.ts'
import { isHiddenLabel } from '@sallyport/wire/entities/label.ts'
import type { Label } from '@sallyport/wire/entities/label.ts'
import { wireDate } from '@sallyport/wire/entities/wire-date.ts'
import { useMemo } from 'react'
import { callQuery, queryClient } from '../../api/queries.ts'
import { useNow } from '../../ui/use-now.ts'

export interface TokenRow {
  token: JoinTokenItem
  /** As it may stand in titles and questions. */
  name: string
  /** Whoever knows the name may join. */
  isSecret: boolean
  /** Machines can install the agent with it. */
  installs: boolean
  expires: Date | undefined
  labels: readonly Label[]
  /** What is dangerous about it. */
  warning: { word: string; why: string } | undefined
}

const day = 24 * 3_600_000
/** Far enough away that the date means nothing. */
const never = 100 * 365 * day

export const refreshTokens = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [list.id] })

export function useTokens() {
  const query = useQuery(callQuery(list))
  const now = useNow()
  const rows = useMemo(() => query.data?.items.map((token) => toRow(token, now)), [query.data, now])
  return { query, rows }
}

function toRow(token: JoinTokenItem, now: Date): TokenRow {
  const isSecret = token.method === 'token'
  const end = wireDate(token.expiry)
  const left = end === undefined ? Infinity : end.getTime() - now.getTime()
  return {
    token,
    name: (token.safeName || token.id).replace(/^\*+/, '…'),
    isSecret,
    installs: isInstallToken(token),
    expires: left > never ? undefined : end,
    labels: (token.suggestedLabels ?? []).filter(({ name }) => !isHiddenLabel(name)),
    warning: isSecret ? whyDangerous(token, left) : undefined,
  }
}

function whyDangerous({ isStatic }: JoinTokenItem, left: number): TokenRow['warning'] {
  if (isStatic) return { word: 'static', why: 'It stands in a configuration file and never ends. Replace it by one that expires.' }
  if (left > never) return { word: 'no end', why: 'Whoever learns it can join for ever. Give it an end.' }
  if (left <= day) return undefined
  return { word: 'long-lived', why: 'Whoever learns it can join for more than a day. Short lives are safer.' }
}
