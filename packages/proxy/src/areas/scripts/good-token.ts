import type { JoinTokens } from '../../core/join/join-tokens.ts'

/** The text is the reference's. */
export const badToken = 'error, token may be expired or invalid'

/** Whether an agent may join with it as one of `roles`. Looked up only when it has the form of a token: nothing else of an address gets into a script. */
export async function isGoodToken(tokens: Pick<JoinTokens, 'get'>, token: string, roles: readonly string[] = ['Node']): Promise<boolean> {
  if (!/^[0-9a-f]{32}$/.test(token)) return false
  const found = await tokens.get(token)
  return found !== undefined && found.spec.join_method === 'token' && found.spec.roles.some((role) => roles.includes(role))
}
