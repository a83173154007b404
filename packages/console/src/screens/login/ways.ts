/** What the sign-in screen offers, from the cluster's configuration alone. */
import { primaryAuthType } from '@sallyport/wire/config.ts'
import type { AuthConfig } from '@sallyport/wire/config.ts'

export type Way = 'password' | 'passkey' | 'sso'

export interface Ways {
  /** Undefined: this cluster has no way to sign in on the web. */
  first: Way | undefined
  others: readonly Way[]
}

/** The way that stands first, and the others in the order in which they are offered. Never a dead end. */
export function waysToSignIn(auth: AuthConfig): Ways {
  const hasProviders = auth.providers.length > 0
  if (!auth.localAuthEnabled) return { first: hasProviders ? 'sso' : undefined, others: [] }
  const available: Way[] = [
    ...(auth.allowPasswordless ? (['passkey'] as const) : []),
    ...(hasProviders ? (['sso'] as const) : []),
    'password',
  ]
  const wanted: Way = ({ passwordless: 'passkey', local: 'password', sso: 'sso' } as const)[primaryAuthType(auth)]
  const first = available.includes(wanted) ? wanted : 'password'
  return { first, others: available.filter((way) => way !== first) }
}
