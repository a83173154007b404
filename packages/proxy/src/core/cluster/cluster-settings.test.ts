import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { openStore } from '../../store/db.ts'
import { createChangeFeed } from '../resources/change-feed.ts'
import { openClusterSettings } from './cluster-settings.ts'
import type { FixedSettings } from './cluster-settings.ts'

const kind = 'cluster_auth_preference'

async function makeStore() {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-settings-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const { db } = opened.use(await openStore({ kind: 'sqlite', file: join(folder, 'store.db') }))
  const disposables = opened.move()
  const open = (fixed?: FixedSettings) => openClusterSettings({ db, feed: createChangeFeed(), clock: { now: () => 0 } }, fixed)
  return { open, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
}

test('a default gives way to what is stored, which gives way to the configuration', async () => {
  await using store = await makeStore()
  {
    using settings = await store.open()
    expect(settings.documents.read(kind)).toMatchObject({
      spec: { second_factor: 'on' },
      sources: { second_factor: 'default' },
      revision: '',
    })
    await settings.documents.write(kind, { second_factor: 'otp', message_of_the_day: 'stored', default_session_ttl: '90m' }, '')
    expect(settings.authPreference).toMatchObject({ second_factor: 'otp', allow_passwordless: false, default_session_ttl: 5_400_000 })
  }
  using settings = await store.open({ [kind]: { second_factor: { value: 'webauthn', origin: '--second-factor' } } })
  expect(settings.authPreference).toMatchObject({ second_factor: 'webauthn', message_of_the_day: 'stored', allow_headless: true })
  expect(settings.documents.read(kind)).toMatchObject({
    sources: { second_factor: 'file', message_of_the_day: 'dynamic', locking_mode: 'default' },
    origins: { second_factor: '--second-factor' },
  })
})

test('what the configuration sets cannot be changed from outside, and the refusal says where it is set', async () => {
  await using store = await makeStore()
  using settings = await store.open({ [kind]: { second_factor: { value: 'on', origin: 'SALLYPORT_SECOND_FACTOR' } } })
  await expect(settings.documents.write(kind, { second_factor: 'off' }, '')).rejects.toThrow(
    'second_factor is set by SALLYPORT_SECOND_FACTOR and can only be changed there',
  )
  await settings.documents.write(kind, { second_factor: 'on', locking_mode: 'strict' }, '')
  expect(settings.documents.read(kind).sources).toMatchObject({ second_factor: 'file', locking_mode: 'dynamic' })
})

test('of two people who change the same document one gets through; nonsense is named', async () => {
  await using store = await makeStore()
  using settings = await store.open()
  const changes: string[] = []
  using _ = settings.subscribe(() => void changes.push(settings.authPreference.message_of_the_day))
  const write = (text: string, revision: string) => settings.documents.write(kind, { message_of_the_day: text }, revision)
  const both = await Promise.allSettled([write('one', ''), write('two', '')])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const { revision } = settings.documents.read(kind)
  await write('three', revision)
  await expect(write('late', revision)).rejects.toThrow('changed by somebody else')
  expect(changes.at(-1)).toBe('three')
  await expect(settings.documents.write(kind, { colour: 'red' }, '')).rejects.toThrow('there is no setting "colour"')
  await expect(settings.documents.write(kind, { default_session_ttl: '0' }, '')).rejects.toThrow('must be at least 1m')
})

test('a change is in force at once, everywhere', async () => {
  await using api = await openProxyApi()
  const { documents } = api.context.settings
  const config = async () => (await api.browser().send('GET', '/web/config.js')).text
  expect(await config()).toContain('"second_factor":"on"')
  await documents.write(kind, { second_factor: 'otp', message_of_the_day: 'mind the gap' }, '')
  await documents.write('session_recording_config', { mode: 'proxy' }, '')
  expect(await config()).toContain('"second_factor":"otp"')
  expect(await config()).toContain('"canJoinSessions":false')
  expect(await api.browser().send('GET', '/v1/webapi/ping')).toMatchObject({
    body: { auth: { second_factor: 'otp', allow_passwordless: false, allow_headless: false, has_motd: true } },
  })
  expect(await api.browser().send('GET', '/v1/webapi/motd')).toMatchObject({ body: { text: 'mind the gap' } })
  expect(api.context.factors.mode).toBe('otp')
})
