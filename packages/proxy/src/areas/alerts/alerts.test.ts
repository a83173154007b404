import { alerts } from '@sallyport/wire/calls/alerts.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDocument } from '../../core/resources/documents.ts'
import { requireKind } from '../../core/resources/managed-kinds.ts'

let api: ProxyApi
let alice: ApiBrowser
let bob: ApiBrowser
beforeAll(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
  bob = await signedIn(api, 'bob')
})
afterAll(() => api[Symbol.asyncDispose]())

const managed = () => requireKind(api.context.managedKinds, 'cluster_alerts')
const apply = (yaml: string) => managed().apply(parseDocument(yaml), { force: true, by: 'alice' })
const alertOf = (name: string, labels: Record<string, string>, severity: string | number = 'low') =>
  JSON.stringify({
    kind: 'cluster_alert',
    version: 'v1',
    metadata: {
      name,
      labels: Object.fromEntries(
        Object.entries({ 'alert-on-login': 'yes', ...labels }).map(([label, value]) => [`teleport.internal/${label}`, value]),
      ),
    },
    spec: { severity, message: `about ${name}`, created: '2026-11-21T10:00:00Z' },
  })
async function seenBy(person: ApiBrowser): Promise<string[]> {
  const { status, body } = await person.call(alerts, { params: { clusterId: 'sallyport' } })
  expect(status).toBe(200)
  return alerts.out.parse(body).alerts.map(({ metadata }) => metadata.name)
}

test('R7-022: an alert is told to those whom its labels name, worst first, until it is removed', async () => {
  expect((await alice.call(alerts, { params: { clusterId: 'sallyport' } })).body).toEqual({ alerts: [] })
  await apply(alertOf('for-all', { 'alert-permit-all': 'yes', link: 'https://example.com/why' }))
  await apply(alertOf('for-editors', { 'alert-verb-permit': 'nothing:list|token:create' }, 'medium'))
  await apply(alertOf('for-nobody', {}))
  await apply(alertOf('not-shown', { 'alert-on-login': 'no', 'alert-permit-all': 'yes' }))
  expect(await seenBy(alice)).toEqual(['for-editors', 'for-all'])
  expect(await seenBy(bob)).toEqual(['for-all'])
  expect((await bob.call(alerts, { params: { clusterId: 'sallyport' } })).body).toEqual({
    alerts: [
      {
        kind: 'cluster_alert',
        version: 'v1',
        metadata: {
          name: 'for-all',
          labels: {
            'teleport.internal/alert-on-login': 'yes',
            'teleport.internal/alert-permit-all': 'yes',
            'teleport.internal/link': 'https://example.com/why',
          },
        },
        spec: { severity: 0, message: 'about for-all', created: '2026-11-21T10:00:00Z' },
      },
    ],
  })
  await managed().remove('for-all', 'alice')
  expect(await seenBy(bob)).toEqual([])
  expect((await api.events('TAL01I')).at(-1)).toMatchObject({ user: 'alice', name: 'for-all' })
})

test('one that does not say when it was made has the zero time, as everything on the wire', async () => {
  await apply(alertOf('old', { 'alert-permit-all': 'yes' }).replace(/,"created":"[^"]*"/, ''))
  const { body } = await bob.call(alerts, { params: { clusterId: 'sallyport' } })
  expect(alerts.out.parse(body).alerts.map(({ spec }) => spec.created)).toEqual(['0001-01-01T00:00:00Z'])
})

test('one that is as severe stands for another; a milder one does not', async () => {
  await apply(alertOf('old', { 'alert-permit-all': 'yes' }, 5))
  await apply(alertOf('mild', { 'alert-permit-all': 'yes', 'alert-supersedes': 'old' }, 4))
  expect(await seenBy(bob)).toEqual(['old', 'mild'])
  await apply(alertOf('new', { 'alert-permit-all': 'yes', 'alert-supersedes': 'other, old' }, 'medium'))
  expect(await seenBy(bob)).toEqual(['new', 'mild'])
})

test('a cluster that is not this one, and what is no alert', async () => {
  expect((await bob.call(alerts, { params: { clusterId: 'other' } })).status).toBe(404)
  await expect(apply(alertOf('bad', {}, 'dreadful'))).rejects.toThrow(/severity/)
})
