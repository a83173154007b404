import type { AuthProvider } from '@sallyport/wire/config.ts'

export type ProviderMark = 'github' | 'google' | 'microsoft' | 'okta'

const names: readonly [RegExp, ProviderMark][] = [
  [/google/i, 'google'],
  [/microsoft|entra|azure/i, 'microsoft'],
  [/okta/i, 'okta'],
  [/git ?hub/i, 'github'],
]

/** Whose mark a provider's button carries, guessed from its kind and what it is called; undefined when nobody knows it. */
export function markOf({ type, name, displayName = '' }: Pick<AuthProvider, 'type' | 'name' | 'displayName'>): ProviderMark | undefined {
  if (type === 'github') return 'github'
  return names.find(([pattern]) => pattern.test(displayName) || pattern.test(name))?.[1]
}
