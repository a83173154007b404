/** `sallyport ssh` and its kin, and what reads the configuration that they print. */
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAuthPreference, writeAuthPreference } from '@sallyport/wire/calls/cluster-config.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { decideHeadless, readHeadless } from '@sallyport/wire/calls/headless.ts'
import { authenticateChallenge, devices as listDevices } from '@sallyport/wire/calls/mfa.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bareHome } from './bare-home.ts'
import { withKey } from './key-holder.ts'
import { finished } from './native-client.ts'
import type { Ran } from './native-client.ts'
import { ownLogin } from './people.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

const command = join(import.meta.dirname, '../../cli/src/main.ts')
let world: World
let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sallyport-home-'))
  world = await createWorld({ people: ['alice'] })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

const env = (): NodeJS.ProcessEnv => ({ ...process.env, SALLYPORT_HOME: home, HOME: home })
const sallyport = (args: readonly string[], input = ''): Promise<Ran> =>
  finished(spawn(process.execPath, [command, ...args], { stdio: 'pipe', env: env() }), input)
const here = `${ownLogin}@${agentHostname}`

describe.skipIf(whyNoProgram('ssh'))('commands', () => {
  test('before a sign-in they say what to do', async () => {
    for (const args of [['ssh', here], ['ls'], ['config']])
      expect(await sallyport(args), args[0]).toMatchObject({ code: 1, err: expect.stringContaining('sallyport login --proxy') })
  })

  test('after it ssh, scp, ls and config work with nothing else set up', async () => {
    const { authenticator, password } = world.person('alice')
    expect(
      await sallyport(['login', '--proxy', world.url, '--user', 'alice'], `${password}\n${await authenticator.code()}\n`),
    ).toMatchObject({ code: 0 })
    expect(await sallyport(['ssh', here, 'cat; exit 4'], 'typed')).toMatchObject({ code: 4, out: Buffer.from('typed') })
    expect(await sallyport(['ssh', '-T', '-o', 'LogLevel=ERROR', here, '--', 'echo', '-n', 'x'])).toMatchObject({
      code: 0,
      out: Buffer.from('x'),
    })
    await writeFile(join(home, 'file'), 'copied')
    expect(await sallyport(['scp', '-O', join(home, 'file'), `${here}:${home}/copy`])).toMatchObject({ code: 0 })
    expect(await readFile(join(home, 'copy'), 'utf8')).toBe('copied')
    const listed = await sallyport(['ls'])
    expect(listed.out.toString()).toMatch(new RegExp(`^Server .*\\n.*${agentHostname} .*${ownLogin}`, 's'))
    expect(JSON.parse((await sallyport(['ls', '--format', 'json'])).out.toString())).toContainEqual(
      expect.objectContaining({ hostname: agentHostname, logins: expect.arrayContaining([ownLogin]) }),
    )
  })

  test('the configuration leads any program of OpenSSH to names below the cluster, and nothing else', async () => {
    const { code, out } = await sallyport(['config'])
    expect(code).toBe(0)
    const config = join(home, 'ssh-config')
    await writeFile(config, out)
    const ssh = (...args: string[]): Promise<Ran> =>
      finished(spawn(requireProgram('ssh'), ['-F', config, ...args], { stdio: 'pipe', env: env() }))
    expect(await ssh(`${here}.${world.cluster}`, 'echo in')).toMatchObject({ code: 0, out: Buffer.from('in\n') })
    expect((await ssh('-G', 'elsewhere.example')).out.toString()).not.toContain('proxyjump')
  })

  test.skipIf(whyNoProgram('ansible'))('Ansible runs modules and commands through it', async () => {
    const hosts = [agentHostname, ...(whyNoProgram('sshd') ? [] : [sshdHostname])].map((host) => `${host}.${world.cluster}`)
    const ansible = (...args: string[]): Promise<Ran> =>
      finished(
        spawn(
          requireProgram('ansible'),
          ['all', '-i', `${hosts.join(',')},`, '-u', ownLogin, '--ssh-common-args', `-F ${join(home, 'ssh-config')}`, ...args],
          {
            stdio: 'pipe',
            env: {
              ...env(),
              HOME: bareHome,
              ANSIBLE_PYTHON_INTERPRETER: 'auto_silent',
              ANSIBLE_NOCOLOR: '1',
              ANSIBLE_LOCAL_TEMP: join(home, 'ansible'),
              ANSIBLE_SSH_CONTROL_PATH_DIR: join(home, 'cp'),
            },
          },
        ),
      )
    const ping = await ansible('-m', 'ping')
    expect({ ...ping, out: ping.out.toString() }).toMatchObject({ code: 0 })
    expect(ping.out.toString().match(/"pong"/g)).toHaveLength(hosts.length)
    const echo = await ansible('-a', 'echo from ansible')
    expect({ ...echo, out: echo.out.toString() }).toMatchObject({ code: 0 })
    expect(echo.out.toString().match(/^from ansible$/gm)).toHaveLength(hosts.length)
  })
})

describe.skipIf(whyNoProgram('ssh'))('with a key', () => {
  /** Runs a command that asks for an approval, and approves with the key in a browser. */
  async function approved(args: readonly string[], folder: string, { client, key }: Awaited<ReturnType<typeof withKey>>): Promise<Ran> {
    const child = spawn(process.execPath, [command, ...args], { stdio: 'pipe', env: { ...env(), SALLYPORT_HOME: folder } })
    let said = ''
    const id = new Promise<string>((resolve) => {
      child.stderr.on('data', (bytes: Buffer) => {
        said += bytes.toString()
        const found = /\/web\/headless\/([\w-]+)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    const ran = finished(child)
    const params = { headless_authentication_id: await id }
    await client.call(readHeadless, { params })
    const { webauthn_challenge: challenge } = await client.call(authenticateChallenge)
    if (!challenge) throw new Error('no challenge for a key')
    const webauthnAssertionResponse = key.get(challenge.publicKey, { origin: world.url })
    await client.call(decideHeadless, { params, body: { action: 'accept', webauthnAssertionResponse } })
    return ran
  }

  test('where every session is to be confirmed, sallyport ssh says so, and --headless opens one for the approval of a key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-home-'))
    const gwen = await withKey(world, 'gwen')
    expect(await approved(['login', '--headless', '--proxy', world.url, '--user', 'gwen'], folder, gwen)).toMatchObject({ code: 0 })
    const alice = await world.signIn('alice')
    const { revision } = (await alice.call(readAuthPreference)).metadata
    await alice.call(writeAuthPreference, { body: { spec: { require_session_mfa: true }, revision, force: true } })
    const refused = await finished(
      spawn(process.execPath, [command, 'ssh', here, 'true'], { stdio: 'pipe', env: { ...env(), SALLYPORT_HOME: folder } }),
    )
    expect(refused).toMatchObject({ code: 255, err: expect.stringContaining(`sallyport ssh --headless ${here}`) })
    expect(await approved(['ssh', '--headless', here, 'echo confirmed'], folder, gwen)).toMatchObject({
      code: 0,
      out: Buffer.from('confirmed\n'),
    })
    const [device] = await gwen.client.call(listDevices)
    const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { include: 'session.start' } })
    expect(events.filter(({ user }) => user === 'gwen')).toMatchObject([{ code: 'T2000I', with_mfa: device?.id ?? 'none' }])
    // Nothing of the one session stays behind.
    expect((await readdir(folder)).filter((name) => name.startsWith('session-'))).toEqual([])
    const stored = (await alice.call(readAuthPreference)).metadata
    await alice.call(writeAuthPreference, { body: { spec: {}, revision: stored.revision } })
    await rm(folder, { recursive: true })
  })
})
