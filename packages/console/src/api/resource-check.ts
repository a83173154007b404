/** Whether the cluster has anything to reach, asked once in each browser for those who could add it. */
import * as z from 'zod/mini'
import { resourcesCheck } from '@sallyport/wire/calls/clusters.ts'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import { storageKeys } from '@sallyport/wire/limits.ts'
import { canListAgents } from '@sallyport/wire/routes.ts'
import { config, request } from './page.ts'

/** The form is shared with other consoles of this product family. */
const stored = z.looseObject({ hasResource: z.boolean(), notified: z.optional(z.boolean()) })

function read(): z.output<typeof stored> | undefined {
  try {
    return stored.safeParse(JSON.parse(window.localStorage.getItem(storageKeys.discover) ?? '')).data
  } catch {
    return undefined // nothing stored, or not JSON
  }
}

const write = (value: z.input<typeof stored>): void => window.localStorage.setItem(storageKeys.discover, JSON.stringify(value))

export async function checkResourcesOnce(acl: UserAcl, signal: AbortSignal): Promise<void> {
  if (!acl.tokens.create || !canListAgents(acl) || window.localStorage.getItem(storageKeys.discover) !== null) return
  write(await request(resourcesCheck, { params: { clusterId: config.proxyCluster } }, { signal }))
}

/** The cluster was empty when it was asked, and nobody has been told here. */
export function isInvitationDue(): boolean {
  const known = read()
  return known !== undefined && !known.hasResource && known.notified !== true
}

export function noteInvitation(): void {
  const known = read()
  if (known) write({ ...known, notified: true })
}
