import { expect, test } from 'vitest'
import { callToActions, discoverResources } from './analytics-kinds.ts'
import type { LockedFeature } from './analytics-kinds.ts'

test('R9-062: calls to action have the ids 0 to 6, for the five locked features and the banner', () => {
  const locked = {
    authConnectors: 1,
    activeSessions: 2,
    accessRequests: 3,
    premiumSupport: 4,
    trustedDevices: 5,
  } satisfies Record<LockedFeature, number>
  expect(callToActions).toEqual({ unspecified: 0, ...locked, upgradeBanner: 6 })
})

test('kinds of resources are named as the wire names them, each once', () => {
  expect(new Set(discoverResources).size).toBe(discoverResources.length)
  expect(discoverResources).toEqual(expect.arrayContaining(['DISCOVER_RESOURCE_SERVER', 'DISCOVER_RESOURCE_DATABASE_POSTGRES_SELF_HOSTED']))
})
