/** Plugins that tell people of access requests: Slack and Mattermost as stand-ins that speak their documented HTTP, mail by a real server. */
import * as requests from '@sallyport/wire/calls/access-requests.ts'
import * as plugins from '@sallyport/wire/calls/plugins.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { maskedSecret } from '@sallyport/wire/entities/connector.ts'
import type { SettingsOf } from '@sallyport/wire/entities/plugin.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openProxyApi } from './proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from './proxy-api.ts'
import { signedIn, signedInAgain } from './proxy-people.ts'
import type { ChatPost } from './targets/chat-server.ts'
import { refusedRecipient, startMailServer } from './targets/mail-server.ts'
import type { MailServer } from './targets/mail-server.ts'
import { startMattermost } from './targets/mattermost.ts'
import { whyNoProgram } from './targets/programs.ts'
import { startSlack } from './targets/slack.ts'
import type { SlackStandIn } from './targets/slack.ts'

const params = { clusterId: 'sallyport' }
const opened = new AsyncDisposableStack()
let slack: SlackStandIn
let api: ProxyApi
let alice: ApiBrowser
let carol: ApiBrowser
let dan: ApiBrowser

const good = async (answer: Promise<Answer>): Promise<unknown> => {
  const { status, body, message } = await answer
  expect({ status, message }).toEqual({ status: 200, message: '' })
  return body
}
const saveRole = (name: string, spec: object) =>
  good(alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec }) } }))

beforeAll(async () => {
  slack = opened.use(await startSlack())
  api = opened.use(await openProxyApi({ slackApi: slack.api }))
  alice = await signedIn(api, 'alice')
  carol = await signedIn(api, 'carol')
  dan = await signedIn(api, 'dan')
  await saveRole('asks', { allow: { request: { roles: ['access', 'auditor'], thresholds: [{ approve: 2, deny: 1 }] } } })
  await saveRole('decides', { allow: { review_requests: { roles: ['access', 'auditor'] } } })
  const user = (name: string, roles: string[], email?: string) =>
    good(alice.call(updateUser, { body: { name, roles, allTraits: email === undefined ? {} : { email: [email] } } }))
  await user('dan', ['asks'], 'dan@example.com')
  await user('carol', ['decides'], 'carol@example.com')
  await api.invite('bob')
  await user('bob', ['access'], 'bob@example.com')
  await user('alice', ['editor', 'decides'])
})
afterAll(() => opened.disposeAsync())
afterEach(async () => {
  for (const { name } of await listed()) await good(alice.call(plugins.remove, { params: { ...params, name } }))
  // Plugins tell of what is asked for from their beginning on: nothing of before has the same time.
  api.clock.advance(1000)
  slack.posts.length = 0
  slack.channels.clear()
  slack.members.clear()
})

async function listed() {
  return plugins.list.out.parse(await good(alice.call(plugins.list, { params }))).items
}
const enroll = async (name: string, settings: object) =>
  plugins.create.out.parse(await good(alice.call(plugins.create, { params, body: { name, settings: settings as SettingsOf<'slack'> } })))
const slackSettings = (more: Partial<SettingsOf<'slack'>> = {}): SettingsOf<'slack'> => ({
  kind: 'slack',
  token: slack.token,
  recipients: ['#access'],
  roleRecipients: [],
  ...more,
})
async function ask(reason: string, more: object = {}): Promise<string> {
  const body = { roles: ['access'], reason, ...more }
  return requests.create.out.parse(await good(dan.call(requests.create, { body }))).id
}
const review = (browser: ApiBrowser, requestId: string, state: 'APPROVED' | 'DENIED', reason = '') =>
  good(browser.call(requests.review, { params: { requestId }, body: { state, reason, roles: [] } }))
/** The words of what was posted there, as they are now. */
const saidIn = (posts: readonly ChatPost[], channel: string): string[] =>
  posts.filter((post) => post.channel === channel).map(({ body }) => JSON.stringify(body))
const only = (texts: readonly string[]): string => (texts.length === 1 ? (texts[0] ?? '') : `${texts.length} posts`)

describe('Slack', () => {
  test('R2-096: channel and reviewers are told of a request, their messages follow it, and who has asked learns the outcome', async () => {
    slack.channels.set('access', true).set('audit', true)
    slack.members.set('carol@example.com', 'U1').set('dan@example.com', 'U2').set('bob@example.com', 'U3')
    const settings = slackSettings({ roleRecipients: [{ role: 'auditor', recipients: ['#audit'] }] })
    expect(await enroll('chat', settings)).toEqual({ name: 'chat', kind: 'slack', statusCode: 1, details: 'Tells #access and 1 more' })
    // bob is suggested, but could not decide.
    const id = await ask('the <!channel> is down & *out*', { suggestedReviewers: ['carol', 'bob'] })
    await expect.poll(() => slack.posts.length).toBe(2)
    for (const where of ['#access', 'carol@example.com']) {
      const said = only(saidIn(slack.posts, where))
      for (const words of [
        'dan asks for access',
        '*Role:* access',
        'the &lt;!channel&gt; is down &amp; *out*',
        '*Decide before:*',
        `/web/requests/${id}|`,
      ])
        expect(said).toContain(words)
    }
    await review(carol, id, 'APPROVED', 'fine')
    await expect.poll(() => only(saidIn(slack.posts, '#access'))).toContain('carol approved: fine')
    await expect.poll(() => only(saidIn(slack.posts, 'dan@example.com'))).toContain('Your access request was reviewed')
    const edits = () => slack.posts.map((post) => post.edits)
    await expect.poll(edits).toEqual([1, 1, 0])
    await review(alice, id, 'APPROVED')
    await expect.poll(() => only(saidIn(slack.posts, '#access'))).toContain('access request was approved')
    await expect.poll(() => only(saidIn(slack.posts, 'carol@example.com'))).toContain('*Access until:*')
    await expect.poll(() => only(saidIn(slack.posts, 'dan@example.com'))).toContain('Your access request was approved')
    expect(edits()).toEqual([2, 2, 1])

    await ask('a role with a channel of its own', { roles: ['auditor'] })
    await expect.poll(() => saidIn(slack.posts, '#audit').length).toBe(1)
    expect(saidIn(slack.posts, '#access')).toHaveLength(1)
  })

  test('however long, a request is told; what is removed before anybody decided is told as well; what was asked for before the plugin came is not', async () => {
    slack.channels.set('access', true)
    await ask('before')
    api.clock.advance(1000)
    await enroll('chat', slackSettings())
    api.clock.advance(1000)
    const id = await ask(`after ${'&<>'.repeat(1000)}`)
    await expect.poll(() => only(saidIn(slack.posts, '#access'))).toContain('after')
    await good(alice.call(requests.remove, { params: { requestId: id } }))
    await expect.poll(() => only(saidIn(slack.posts, '#access'))).toContain('An access request was removed')
  })

  test('a request is made whatever Slack says; the status tells why nobody was told, and it is made up for', async () => {
    // When it is tried again is for this test to say, however long it takes.
    api.clock.hold()
    slack.channels.set('access', false)
    await enroll('chat', slackSettings({ token: 'xoxb-revoked' }))
    const status = async () => (await listed())[0]
    expect(await status()).toMatchObject({ statusCode: 3, details: expect.stringContaining('Slack refuses the token (invalid_auth)') })
    await ask('one')
    const change = (settings: object) =>
      good(alice.call(plugins.update, { params: { ...params, name: 'chat' }, body: { settings: settings as SettingsOf<'slack'> } }))
    await change(slackSettings())
    await expect.poll(async () => (await status())?.statusCode).toBe(10)
    expect((await status())?.details).toContain('Invite it there')
    slack.channels.set('access', true)
    // Not before its time.
    await api.context.courier.round()
    expect(slack.posts).toHaveLength(0)
    api.clock.advance(6000)
    slack.busy = { calls: 1, seconds: 30 }
    await api.context.courier.round()
    expect(slack.posts).toHaveLength(0)
    api.clock.advance(31_000)
    // One that goes on by itself may be at it already.
    await api.context.courier.round()
    await expect.poll(() => slack.posts.length).toBe(1)
    await expect.poll(status).toMatchObject({ statusCode: 1, details: 'Tells #access' })

    slack.isDown = true
    await ask('two')
    await expect.poll(async () => (await status())?.details).toContain('it is tried again')
    slack.isDown = false
    api.clock.advance(6000)
    await api.context.courier.round()
    await expect.poll(() => slack.posts.length).toBe(2)
  })

  test('secrets are sealed, never shown and follow no address; a test message needs them', async () => {
    slack.channels.set('access', true)
    await enroll('chat', slackSettings())
    const named = { ...params, name: 'chat' }
    const text = (await alice.call(plugins.read, { params: named })).text
    expect(text).not.toContain(slack.token)
    expect(plugins.read.out.parse(JSON.parse(text)).settings).toEqual(slackSettings({ token: maskedSecret }))
    const rows = await api.context.db.selectFrom('resources').selectAll().where('kind', '=', 'plugin').execute()
    const kept = JSON.stringify([rows, ...(await Promise.all(['PG001I', 'PG004I'].map(api.events)))])
    expect(kept).toContain('Access'.toLowerCase())
    expect(kept).not.toContain(slack.token)
    const masked = { settings: slackSettings({ token: maskedSecret }), recipient: '#access' }
    await good(alice.call(plugins.testStored, { params: named, body: masked }))
    expect(only(saidIn(slack.posts, '#access'))).toContain('A test message of Sallyport')
    expect(await alice.call(plugins.test, { params, body: masked })).toMatchObject({
      status: 400,
      message: expect.stringContaining('give the secret itself'),
    })
    const elsewhere = {
      ...slackSettings(),
      kind: 'mattermost' as const,
      url: 'https://chat.example.com',
      token: maskedSecret,
      recipients: [],
    }
    const stolen = await alice.call(plugins.testStored, { params: named, body: { settings: elsewhere, recipient: 'carol@example.com' } })
    expect(stolen).toMatchObject({ status: 400, message: expect.stringContaining('enter the secret again') })
    const wrong = { settings: slackSettings({ token: 'xoxb-wrong' }), recipient: '#access' }
    expect(await alice.call(plugins.test, { params, body: wrong })).toMatchObject({
      status: 400,
      message: expect.stringContaining('invalid_auth'),
    })
    // What is refused before it is sent is not told.
    expect(await api.events('PG004I')).toHaveLength(2)
    expect((await dan.call(plugins.test, { params, body: wrong })).status).toBe(403)
  })
})

describe('Mattermost', () => {
  test('a channel and members are told, and their posts follow the request; what was removed there is posted again', async () => {
    await using mattermost = await startMattermost()
    mattermost.channels.set('team/access', true).set('team/closed', false)
    mattermost.members.set('carol@example.com', 'm1').set('dan@example.com', 'm2')
    const settings = (more: object = {}) => ({
      kind: 'mattermost',
      url: `${mattermost.origin}/`,
      token: mattermost.token,
      recipients: ['team/access', 'team/closed'],
      roleRecipients: [],
      ...more,
    })
    expect(await enroll('chat', settings({ token: 'wrong' }))).toMatchObject({
      statusCode: 3,
      details: expect.stringContaining('refuses the token'),
    })
    await good(
      alice.call(plugins.update, { params: { ...params, name: 'chat' }, body: { settings: settings() as SettingsOf<'mattermost'> } }),
    )
    const id = await ask('a @channel **call**', { suggestedReviewers: ['carol'] })
    await expect.poll(() => mattermost.posts.length).toBe(2)
    await expect
      .poll(async () => (await listed())[0])
      .toMatchObject({ statusCode: 10, details: expect.stringContaining('Add the bot to the team') })
    const said = only(saidIn(mattermost.posts, 'team/access'))
    expect(said).toContain('dan asks for access')
    expect(JSON.parse(said)).toMatchObject({
      message: '',
      props: {
        attachments: [{ fields: expect.arrayContaining([{ title: 'Reason', value: 'a @\u{200b}channel \\*\\*call\\*\\*', short: true }]) }],
      },
    })
    mattermost.posts.splice(
      mattermost.posts.findIndex(({ channel }) => channel === 'carol@example.com'),
      1,
    )
    await review(carol, id, 'DENIED', 'not now')
    await expect.poll(() => only(saidIn(mattermost.posts, 'team/access'))).toContain('access request was denied')
    await expect.poll(() => only(saidIn(mattermost.posts, 'carol@example.com'))).toContain('access request was denied')
    await expect.poll(() => only(saidIn(mattermost.posts, 'dan@example.com'))).toContain('Your access request was denied')
  })
})

describe.skipIf(whyNoProgram('exim4'))('mail', () => {
  let server: MailServer
  beforeAll(async () => {
    server = opened.use(await startMailServer())
  })
  const mailSettings = (more: Partial<SettingsOf<'email'>> = {}): SettingsOf<'email'> => ({
    kind: 'email',
    host: server.host,
    port: server.port,
    tls: 'starttls',
    username: server.username,
    password: server.password,
    from: 'sallyport@mail.test',
    caCert: server.ca,
    recipients: ['oncall@mail.test'],
    roleRecipients: [],
    ...more,
  })
  const send = (settings: SettingsOf<'email'>, recipient = 'carol@mail.test') =>
    alice.call(plugins.test, { params, body: { settings, recipient } })

  test('reviewers and who has asked get mail that stays in one thread', async () => {
    expect(await enroll('mail', mailSettings())).toMatchObject({ statusCode: 1, details: 'Tells oncall@mail.test, by localhost' })
    const id = await ask('größere Störung')
    const to = async (address: string) => (await server.received()).filter((mail) => mail.to === address)
    await expect.poll(() => to('oncall@mail.test')).toHaveLength(1)
    await review(carol, id, 'DENIED', 'use the other one')
    await expect.poll(() => to('oncall@mail.test')).toHaveLength(2)
    await expect.poll(() => to('dan@example.com')).toHaveLength(1)
    const mails = await to('oncall@mail.test')
    const first = mails.find(({ subject }) => subject === 'dan asks for access')
    const second = mails.find(({ subject }) => subject === "dan's access request was denied")
    expect(first?.text).toMatch(/^Reason: +größere Störung$/m)
    expect(first?.text).toContain(`http://localhost:3080/web/requests/${id}`)
    expect(second?.text).toContain('carol denied: use the other one')
    expect(second?.headers.get('in-reply-to')).toBe(first?.headers.get('message-id'))
    expect((await to('dan@example.com'))[0]?.subject).toBe('Your access request was denied')
  })

  test('the password goes over TLS to a server that proves itself only; what is refused says what to do', async () => {
    expect(await send(mailSettings())).toMatchObject({ status: 200 })
    expect(await send(mailSettings({ tls: 'tls', port: server.tlsPort }))).toMatchObject({ status: 200 })
    const refusals = [
      [mailSettings({ caCert: '' }), 504, 'could not be used'],
      [mailSettings({ password: 'wrong' }), 400, 'refuses user name or password'],
      [mailSettings({ username: '', password: '' }), 400, 'relay not permitted'],
      [mailSettings({ tls: 'none', host: 'mail.example.com' }), 400, 'on this machine only'],
      [mailSettings({ host: '169.254.169.254' }), 400, 'write the name of the mail server'],
      [mailSettings({ port: 1 }), 504, 'Check host, port'],
    ] as const
    for (const [settings, status, message] of refusals)
      expect(await send(settings)).toMatchObject({ status, message: expect.stringContaining(message) })
    expect(await send(mailSettings(), refusedRecipient)).toMatchObject({ status: 400, message: expect.stringContaining('no such mailbox') })
    expect(await send(mailSettings(), 'nobody')).toMatchObject({ status: 400, message: expect.stringContaining('write a mail address') })
  })
})

// At the end: the sessions of people do not last an hour.
test('a token that is revoked later shows within the hour, before anybody asks', async () => {
  await enroll('chat', slackSettings())
  const { token } = slack
  slack.token = 'xoxb-another'
  api.clock.advance(3_600_000)
  await api.context.courier.round()
  slack.token = token
  // The hour has ended her session.
  alice = await signedInAgain(api, 'alice')
  expect((await listed())[0]?.statusCode).toBe(3)
})
