import type { AuthProvider } from '@sallyport/wire/config.ts'

/** The address that starts single sign-on; the way back is its last parameter, because the proxy reads to the end. */
export function providerAddress(provider: AuthProvider, origin: string, target: string): string {
  const path = provider.url
    .replace(':providerName', () => encodeURIComponent(provider.name))
    .replace(':redirect', () => encodeURIComponent(origin + target))
  const url = new URL(path, origin)
  if (url.origin !== origin) throw new Error(`the sign-in address of ${provider.name} leads away from this cluster`)
  return url.pathname + url.search
}
