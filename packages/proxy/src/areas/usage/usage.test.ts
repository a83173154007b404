import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const empty = { status: 200, text: '' }

test('R7-116: precapture is open to everybody, answers nothing, and refuses what it does not know', async () => {
  await using api = await openProxyApi()
  const tell = (body: unknown) => api.browser().send('POST', '/v1/webapi/precapture', body)
  expect(await tell({ event: 'tp.ui.onboard.setCredential.submit', username: 'bob' })).toMatchObject(empty)
  const challenge = { event: 'tp.ui.onboard.registerChallenge.submit', username: 'bob', mfaType: 'otp', loginFlow: 'local' }
  expect(await tell(challenge)).toMatchObject(empty)
  const refused = (message: string) => ({ status: 400, message })
  expect(await tell({ username: 'bob' })).toMatchObject(refused('missing required parameter Event'))
  expect(await tell({ event: '', username: 'bob' })).toMatchObject(refused('missing required parameter Event'))
  expect(await tell({ event: 'tp.ui.recoveryCodesCopy.click' })).toMatchObject(refused('missing required parameter Username'))
  expect(await tell({ event: 'tp.ui.banner.click', username: 'bob' })).toMatchObject(refused('invalid event tp.ui.banner.click'))
})
test('R7-115: capture is for people who are signed in, answers nothing, and refuses what it does not know', async () => {
  await using api = await openProxyApi()
  const bob = await signedIn(api, 'bob')
  const tell = (body: unknown) => bob.send('POST', '/v1/webapi/capture', body)
  expect(await tell({ event: 'tp.ui.banner.click', alert: 'upgrade' })).toMatchObject(empty)
  expect(await tell({ event: 'tp.ui.callToAction.click', eventData: 3 })).toMatchObject(empty)
  expect(await tell({ event: 'tp.ui.discover.started', eventData: { id: 'x', resource: 1 } })).toMatchObject(empty)
  expect(await tell({ event: 'tp.ui.discover.started' })).toMatchObject({ status: 400, message: 'missing required parameter EventData' })
  expect(await tell({ event: 'x' })).toMatchObject({ status: 400, message: 'invalid event x' })
  expect(await tell({})).toMatchObject({ status: 400, message: 'missing required parameter Event' })
})
test('spans of telemetry are taken from people who are signed in', async () => {
  await using api = await openProxyApi()
  const bob = await signedIn(api, 'bob')
  expect(await bob.send('POST', '/v1/webapi/traces', { resourceSpans: [{ scopeSpans: [] }] })).toMatchObject(empty)
  expect(await bob.send('POST', '/v1/webapi/traces', {})).toMatchObject({ status: 400 })
  expect(await api.browser().send('POST', '/v1/webapi/traces', { resourceSpans: [] })).toMatchObject({ status: 403 })
})
