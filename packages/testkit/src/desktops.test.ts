/** Desktops through the real proxy: xrdp in front of an X server, and FreeRDP with network level authentication. */
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { desktop as readDesktop, desktopActive, desktops as listDesktops, desktopServices } from '@sallyport/wire/calls/desktops.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { put as putLock } from '@sallyport/wire/calls/locks.ts'
import { devices as listDevices, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { authenticateChallengeWire } from '@sallyport/wire/entities/mfa.ts'
import { decodeToConsole, encodeButton, encodeClipboard, encodeDesktopChallenge, encodeMove } from '@sallyport/wire/sockets/desktop.ts'
import { desktopPlaybackWire } from '@sallyport/wire/sockets/desktop-playback.ts'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { DesktopClient, SeenScreen } from './desktop-client.ts'
import { withKey } from './key-holder.ts'
import { startNlaDesktop, whyNoNlaDesktop } from './targets/nla-desktop.ts'
import type { NlaDesktop } from './targets/nla-desktop.ts'
import { startXrdp, whyNoXrdp } from './targets/xrdp.ts'
import type { DesktopServer } from './targets/xrdp.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

/** Scancodes of `echo hello` and Enter. */
const keys = [0x12, 0x2e, 0x23, 0x18, 0x39, 0x23, 0x12, 0x26, 0x26, 0x18, 0x1c]

/** A screen of which parts are still to come is black there. */
const showsTerminal = ({ screen }: DesktopClient): boolean => screen.width === 1024 && screen.ink > 20 && screen.ink < 50_000

describe.skipIf(whyNoXrdp())('desktops', () => {
  let world: World
  let server: DesktopServer
  let olga: ApiClient
  beforeAll(async () => {
    ;[world, server] = await Promise.all([createWorld({ people: ['alice', 'bob', 'dan'] }), startXrdp()])
    await save(documentOf('office', `127.0.0.1:${server.port}`, [{ name: 'lucy', password: server.password }]))
    const alice = await world.signIn('alice')
    const spec = { allow: { windows_desktop_labels: { '*': '*' }, windows_desktop_logins: ['lucy', 'old*'] } }
    await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'desks' }, spec }) } })
    olga = (await withKey(world, 'olga', ['editor', 'auditor', 'access', 'desks'])).client
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  const documentOf = (name: string, addr: string, logins: object[]) =>
    JSON.stringify({ kind: 'windows_desktop', version: 'v3', metadata: { name, labels: { floor: '3' } }, spec: { addr, logins } })
  const save = (content: string) => ask(world.dataDir, adminCalls.saveResources, { parts: [content], force: true })
  const cluster = () => ({ clusterId: world.cluster })
  const one = (desktopName = 'office') => ({ params: { ...cluster(), desktopName } })
  const open = (login = 'lucy', desktop = 'office') => DesktopClient.open(olga, { cluster: world.cluster, desktop, login })
  async function events(code: string) {
    const { events: found } = await olga.call(searchEvents, { params: cluster(), query: { limit: 1000 } })
    return found.filter((event) => event.code === code)
  }

  test('R3-108, R3-109, R7-039, R7-040, R7-050: desktops and their services are listed, searched, sorted and read', async () => {
    await save(documentOf('attic', '10.9.8.7', []))
    const list = async (query: object) => (await olga.call(listDesktops, { params: cluster(), query })).items
    const attic = {
      os: 'windows',
      name: 'attic',
      addr: '10.9.8.7',
      labels: [{ name: 'floor', value: '3' }],
      logins: ['lucy'],
      anyLogin: true,
      host_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    }
    expect(await list({})).toMatchObject([attic, { name: 'office', addr: `127.0.0.1:${server.port}` }])
    expect(await list({ sort: 'name:desc', limit: 1 })).toMatchObject([{ name: 'office' }])
    expect(await list({ search: '10.9' })).toEqual([attic])
    expect(await list({ query: 'name == "office"', startKey: '' })).toMatchObject([{ name: 'office' }])
    expect(await olga.call(readDesktop, one('attic'))).toEqual(attic)
    await expect(olga.call(readDesktop, one('cellar'))).rejects.toMatchObject({ status: 404 })
    const services = (await olga.call(desktopServices, { params: cluster(), query: { sort: 'name:asc', search: '', limit: 10 } })).items
    expect(services).toEqual([{ name: (await list({}))[0]?.host_id, hostname: 'localhost', addr: new URL(world.url).host, labels: [] }])
    expect((await olga.call(desktopServices, { params: cluster(), query: { search: 'nowhere' } })).items).toEqual([])
    const bob = await world.signIn('bob')
    expect((await bob.call(readDesktop, one())).logins).toEqual([])
    await ask(world.dataDir, adminCalls.removeResource, { kind: 'windows_desktop', name: 'attic' })
    expect(await list({})).toHaveLength(1)
  })

  test('R7-140, R7-141, R7-051, R8-077: a desktop opens, takes keys, is listed as active, and its recording plays the same picture', async () => {
    let last: Buffer
    let sid = ''
    {
      await using desktop = await open()
      await desktop.until(showsTerminal, 'its terminal was seen')
      expect(await olga.call(desktopActive, one())).toEqual({ active: true })
      const { sessions } = await olga.call(activeSessions, { params: cluster() })
      expect(sessions).toMatchObject([
        { kind: 'desktop', desktop_name: 'office', login: 'lucy', parties: [{ user: 'olga' }], recorded: true },
      ])
      sid = sessions?.[0]?.id ?? ''
      const before = desktop.screen.ink
      desktop.press(...keys)
      await desktop.until(({ screen }) => screen.ink > before + 300 && screen.ink < 50_000, 'what was typed was seen')
      last = desktop.screen.pixels
    }
    await expect.poll(() => events('T2005I')).toMatchObject([{ sid }])
    await expect.poll(() => olga.call(desktopActive, one())).toEqual({ active: false })
    const named = {
      sid,
      user: 'olga',
      windows_user: 'lucy',
      desktop_name: 'office',
      desktop_addr: `127.0.0.1:${server.port}`,
      windows_domain: '',
    }
    expect(await events('TDP00I')).toMatchObject([{ ...named, success: true }])
    expect(await events('TDP01I')).toMatchObject([{ ...named, participants: ['olga'], recorded: true }])
    expect(JSON.stringify(await events('TDP00I'))).not.toContain(server.password)

    const playback = await play(sid, last)
    expect(playback.screen.width).toBe(1024)
    expect(playback.sawPicture).toBe(true)
    expect(playback.times).toEqual(playback.times.toSorted((a, b) => a - b))
  })

  /** All of it, as fast as it goes. */
  async function play(sid: string, picture?: Buffer) {
    const query = new URLSearchParams({ access_token: olga.bearer ?? '' }).toString()
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/v1/webapi/sites/${world.cluster}/desktopplayback/${sid}?${query}`, {
      headers: { cookie: olga.cookieHeader, origin: olga.origin },
    })
    const screen = new SeenScreen()
    const times: number[] = []
    let ending: unknown
    let sawPicture = false
    socket.on('open', () => socket.send(JSON.stringify({ action: 'speed', speed: 100 })))
    socket.on('message', (data: Buffer, isBinary) => {
      expect(isBinary).toBe(true)
      const frame = desktopPlaybackWire.parse(JSON.parse(data.toString()))
      if (!('ms' in frame)) return void (ending = frame)
      times.push(frame.ms)
      screen.take(decodeToConsole(Buffer.from(frame.message, 'base64')))
      sawPicture ||= picture !== undefined && screen.pixels.equals(picture)
    })
    await once(socket, 'close')
    return { screen, times, ending, sawPicture }
  }

  test('a recording that is not there is told in a frame', async () => {
    expect((await play('11111111-2222-4333-8444-555555555555')).ending).toEqual({ message: 'error', errorText: 'session not found' })
  })

  test('R7-140: what is missing in the request is told after the upgrade', async () => {
    const refusals = [
      [{ login: undefined }, 'missing username'],
      [{ login: 'lucy', width: '' }, 'width missing or invalid'],
      [{ login: 'lucy', height: 'tall' }, 'height missing or invalid'],
      [{ login: 'lucy', width: '8193' }, 'width must be at most 8192'],
      [{ login: 'lucy', desktop: 'cellar' }, 'no Windows desktops were found'],
    ] as const
    for (const [{ login, ...target }, text] of refusals) {
      const asked = { cluster: world.cluster, desktop: 'office', ...(login !== undefined && { login }), ...target }
      await using desktop = await DesktopClient.open(olga, asked)
      expect(await desktop.lastWord()).toBe(text)
    }
  })

  test('R8-077: who may not use a login, or not see the desktop, does not get in, and the refusal is audited', async () => {
    await using refused = await open('root')
    expect(await refused.lastWord()).toContain('No role allows "root" in windows_desktop_logins')
    expect(await events('TDP00W')).toMatchObject([{ windows_user: 'root', desktop_name: 'office', success: false }])
    const bob = await world.signIn('bob')
    await using hidden = await DesktopClient.open(bob, { cluster: world.cluster, desktop: 'office', login: 'lucy' })
    expect(await hidden.lastWord()).toContain('No role allows')
  })

  test('R8-078: the clipboard is audited by its length, and not by its text', async () => {
    await using desktop = await open()
    await desktop.until(showsTerminal, 'its terminal was seen')
    desktop.socket.send(encodeClipboard('öl and vinegar'))
    await expect.poll(() => events('TDP02I')).toMatchObject([{ length: 15, desktop_name: 'office', windows_user: 'lucy' }])
    expect(JSON.stringify(await events('TDP02I'))).not.toContain('vinegar')
    const before = desktop.screen.ink
    desktop.press(...keys)
    await desktop.until(({ screen }) => screen.ink > before + 300 && screen.ink < 50_000, 'what was typed was seen')
    // What is dragged over in the terminal is copied.
    const drag = [encodeMove(24, 12), encodeButton('left', true), encodeMove(90, 12), encodeButton('left', false)]
    for (const message of drag) desktop.socket.send(message)
    const copied = await desktop.until(
      ({ messages }) => messages.flatMap((message) => (message.kind === 'clipboard' ? [message.text] : []))[0],
      'something was copied',
    )
    expect(copied.length).toBeGreaterThan(3)
    expect('$ echo hello').toContain(copied)
    await expect.poll(() => events('TDP03I')).toMatchObject([{ length: copied.length, desktop_name: 'office', windows_user: 'lucy' }])
  })

  test('a role that asks for a key with each session: it is told before, asked on the socket, and who shows none does not get in', async () => {
    const spec = {
      options: { require_session_mfa: true },
      allow: { windows_desktop_labels: { '*': '*' }, windows_desktop_logins: ['lucy'] },
    }
    await olga.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'careful' }, spec }) } })
    const vera = await withKey(world, 'vera', ['careful'])
    const asked = { windows_desktop: { desktop_name: 'office', login: 'lucy' } }
    expect(await vera.client.call(mfaRequired, { params: cluster(), body: asked })).toEqual({ required: true })
    expect(await olga.call(mfaRequired, { params: cluster(), body: asked })).toEqual({ required: false })
    const challenged = async (desktop: DesktopClient) =>
      authenticateChallengeWire.parse(
        JSON.parse(
          await desktop.until(
            ({ messages }) => messages.flatMap((message) => (message.kind === 'challenge' ? [message.json] : []))[0],
            'it asked for a key',
          ),
        ),
      ).webauthn_challenge
    const target = { cluster: world.cluster, desktop: 'office', login: 'lucy' }
    await using desktop = await DesktopClient.open(vera.client, target)
    const challenge = await challenged(desktop)
    const assertion = challenge && vera.key.get(challenge.publicKey, { origin: world.url })
    desktop.socket.send(encodeDesktopChallenge(JSON.stringify(assertion)))
    await desktop.until(showsTerminal, 'its terminal was seen')
    const [device] = await vera.client.call(listDevices)
    expect(await events('TDP00I')).toContainEqual(expect.objectContaining({ user: 'vera', with_mfa: device?.id }))
    await using without = await DesktopClient.open(vera.client, target)
    await challenged(without)
    without.socket.send(encodeDesktopChallenge('{}'))
    expect(await without.lastWord()).toContain('access to desktop denied')
  })

  test('a lock on the desktop ends its session and lets nobody in; lifted, it opens again', async () => {
    await using desktop = await open()
    await desktop.until(showsTerminal, 'its terminal was seen')
    const lock = await olga.call(putLock, {
      params: cluster(),
      body: { targets: { windows_desktop: 'office' }, message: 'painting', ttl: '1h' },
    })
    expect(lock.name).not.toBe('')
    expect(await desktop.lastWord()).toContain('painting')
    await using again = await open()
    expect(await again.lastWord()).toContain('painting')
    await ask(world.dataDir, adminCalls.removeResource, { kind: 'lock', name: lock.name })
    await using free = await open()
    await free.until(showsTerminal, 'its terminal was seen')
  })

  test('a certificate that is not the known one is refused before the password is sent; saving the desktop again accepts it', async () => {
    await server.renewCertificate()
    await using changed = await open()
    expect(await changed.lastWord()).toContain('another certificate')
    await save(documentOf('office', `127.0.0.1:${server.port}`, [{ name: 'lucy', password: server.password }]))
    await using accepted = await open()
    await accepted.until(showsTerminal, 'its terminal was seen')
    await server.kill()
    expect(await accepted.lastWord()).not.toBe('')
    await using gone = await open()
    expect(await gone.lastWord()).toContain('does not answer')
  })

  test('passwords come back masked, and do not follow a changed address', async () => {
    const read = async () =>
      (await ask(world.dataDir, adminCalls.readResources, { kind: 'windows_desktop', name: 'office', withSecrets: false })).documents.join(
        '',
      )
    expect(await read()).not.toContain(server.password)
    const masked = (addr: string) => save(documentOf('office', addr, [{ name: 'lucy', password: '********' }]))
    await expect(masked('10.1.1.1')).rejects.toThrow(/enter the secret again|give the secret/)
  })
})

describe.skipIf(whyNoNlaDesktop())('network level authentication', () => {
  let world: World
  let server: NlaDesktop
  let olga: ApiClient
  beforeAll(async () => {
    ;[world, server] = await Promise.all([createWorld({ people: ['alice'] }), startNlaDesktop()])
    const { user, password, port } = server
    const logins = [{ name: user, password }, { name: 'mallory', password }, { name: 'nobody' }]
    const document = { kind: 'windows_desktop', metadata: { name: 'nla' }, spec: { addr: `127.0.0.1:${port}`, logins } }
    await ask(world.dataDir, adminCalls.saveResources, { parts: [JSON.stringify(document)], force: false })
    const alice = await world.signIn('alice')
    const spec = { allow: { windows_desktop_labels: { '*': '*' }, windows_desktop_logins: ['*'] } }
    await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'desks' }, spec }) } })
    olga = (await withKey(world, 'olga', ['access', 'desks'])).client
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })
  const open = (login: string) => DesktopClient.open(olga, { cluster: world.cluster, desktop: 'nla', login })

  test('R1-004: the proxy proves the password, the browser never has it', async () => {
    await using desktop = await open(server.user)
    await desktop.until(({ screen }) => screen.width === 800 && screen.ink > 20, 'its terminal was seen')
  })

  test('an account with a wrong password, or without one, is refused', async () => {
    await using wrong = await open('mallory')
    expect(await wrong.lastWord()).toContain('refuses the user name or the password')
    await using none = await open('nobody')
    expect(await none.lastWord()).toContain('network level authentication')
  })
})
