/** Signed-in people for tests that need no sign-in: alice edits, bob reaches, carol audits, dan has nothing. */
import { createAccessChecker } from '@sallyport/proxy/core/access/checker.ts'
import { ensurePresets } from '@sallyport/proxy/core/access/presets.ts'
import type { RoleStore } from '@sallyport/proxy/core/access/role.ts'
import type { Caller } from '@sallyport/proxy/core/caller.ts'

const hour = 3_600_000

interface Holding {
  roles: readonly string[]
  logins: readonly string[]
}

export const personRoles = {
  alice: { roles: ['editor', 'access', 'auditor'], logins: ['root', 'admin'] },
  bob: { roles: ['access'], logins: ['root'] },
  carol: { roles: ['auditor'], logins: [] },
  dan: { roles: [], logins: [] },
} as const satisfies Record<string, Holding>

export async function callerOf(roles: RoleStore, username: string, { roles: names, logins }: Holding): Promise<Caller> {
  await ensurePresets(roles)
  const held = await Promise.all(names.map((name) => roles.require(name)))
  const traits = { logins }
  return {
    username,
    roles: names,
    traits,
    access: createAccessChecker({ username, roles: held, traits }),
    sessionId: '0'.repeat(64),
    sessionExpires: Date.now() + hour,
    signal: new AbortController().signal,
  }
}
