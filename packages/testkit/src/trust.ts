/** A leaf cluster that trusts a root, as its administrators do it: a token of the root, a document at the leaf. */
import * as tokens from '@sallyport/wire/calls/tokens.ts'
import * as trusted from '@sallyport/wire/calls/trusted-clusters.ts'
import { clusters } from '@sallyport/wire/calls/clusters.ts'
import { expect } from 'vitest'
import { stringify } from 'yaml'
import type { ApiClient } from './api-client.ts'
import type { World } from './world.ts'

export interface RoleMapping {
  remote: string
  local: string[]
}

/** People of the root keep what they may do there, with the roles that every cluster starts with. */
export const sameRoles: readonly RoleMapping[] = ['access', 'editor', 'auditor'].map((role) => ({ remote: role, local: [role] }))

export const trustDocument = (root: { name: string; url: string }, token: string, spec: object = {}): string =>
  stringify({
    kind: 'trusted_cluster',
    version: 'v2',
    metadata: { name: root.name },
    spec: { enabled: true, token, web_proxy_addr: root.url, role_map: sameRoles, ...spec },
  })

export async function joinToken(administrator: ApiClient): Promise<string> {
  return (await administrator.call(tokens.create, { body: { roles: ['Trusted_cluster'] } })).id
}

/** Resolves when the root lists the leaf as connected. `spec` adds to the document. */
export async function trust(root: World, leaf: World, by: { root: ApiClient; leaf: ApiClient }, spec: object = {}): Promise<void> {
  const content = trustDocument({ name: root.cluster, url: root.url }, await joinToken(by.root), spec)
  await by.leaf.call(trusted.create, { body: { content } })
  await isListed(by.root, leaf.cluster, 'online')
}

export async function isListed(client: ApiClient, name: string, status: 'online' | 'offline'): Promise<void> {
  await expect.poll(async () => (await client.call(clusters)).find((cluster) => cluster.name === name)?.status).toBe(status)
}
