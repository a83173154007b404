/** `sallyport login` against a real proxy, and OpenSSH's own client and server with what it brings home. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { ownLogin } from './people.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { startSshd } from './targets/sshd.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const command = join(import.meta.dirname, '../../cli/src/main.ts')

describe('sallyport login', () => {
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

  async function run(args: readonly string[], input = ''): Promise<{ code: unknown; out: string; err: string }> {
    const child = spawn(process.execPath, [command, ...args], { env: { ...process.env, SALLYPORT_HOME: home } })
    child.stdin.end(input)
    const closed = once(child, 'close')
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: ((await closed) as unknown[])[0], out, err }
  }
  const login = async (password: string, more: readonly string[] = []) =>
    run(['login', '--proxy', world.url, '--user', 'alice', ...more], `${password}\n${await world.person('alice').authenticator.code()}\n`)

  test('a wrong password leaves nothing behind', async () => {
    const refused = await login('wrong')
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('invalid credentials') })
    expect(await readdir(home)).toEqual([])
  })

  test.skipIf(whyNoProgram('sshd') ?? whyNoProgram('ssh'))(
    'password and code bring a certificate with which OpenSSH logs in where the authority of people is trusted, and only there',
    async () => {
      const done = await login(world.person('alice').password, ['--ttl', '1h'])
      expect(done).toMatchObject({ code: 0, err: expect.not.stringContaining(world.person('alice').password) })
      const keys = join(home, 'keys', new URL(world.url).host.replace(':', '_'))
      for (const file of await readdir(keys)) expect((await stat(join(keys, file))).mode & 0o777, file).toBe(0o600)
      const shown = spawnSync(requireProgram('ssh-keygen'), ['-L', '-f', join(keys, 'alice-cert.pub')], { encoding: 'utf8' })
      expect(shown.stdout).toContain('Key ID: "alice"')
      expect(shown.stdout).toContain('permit-pty')

      const { authorities } = world.proxy
      const certify = (line: string) =>
        formatCertificate(authorities.issueHostCertificate({ publicKey: parsePublicKey(line), hostId: 'target', names: ['127.0.0.1'] }))
      await using trusting = await startSshd({ userCa: authorities.peopleCa.publicLine, certify })
      await using other = await startSshd({ userCa: authorities.userCa.publicLine, certify })
      /** Logs in without a shell, whose start files are not our business, and says how far it got. */
      const ssh = async (port: number): Promise<string> => {
        const options = [
          'BatchMode=yes',
          'IdentitiesOnly=yes',
          'StrictHostKeyChecking=yes',
          `UserKnownHostsFile=${join(home, 'known_hosts')}`,
          `CertificateFile=${join(keys, 'alice-cert.pub')}`,
        ].flatMap((option) => ['-o', option])
        const target = ['-p', String(port), `${ownLogin}@127.0.0.1`]
        const child = spawn(requireProgram('ssh'), ['-v', '-N', '-F', 'none', '-i', join(keys, 'alice'), ...options, ...target], {
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        let said = ''
        child.stderr.on('data', (chunk: Buffer) => {
          said += chunk.toString()
          if (said.includes('Authenticated to')) child.kill()
        })
        await once(child, 'close')
        return said
      }
      expect(await ssh(trusting.port)).toContain('Authenticated to 127.0.0.1')
      await expect.poll(() => trusting.log()).toContain('ID "alice"')
      const refused = await ssh(other.port)
      expect(refused).toContain('Permission denied')
      expect(refused).not.toContain('Authenticated to')

      expect(await run(['logout'])).toMatchObject({ code: 0 })
      expect(await readdir(keys)).toEqual([])
      expect(await run(['logout'])).toMatchObject({ code: 1, err: expect.stringContaining('Nobody is signed in') })
    },
  )

  test('passwords go over HTTPS only', async () => {
    expect(await run(['login', '--proxy', 'http://console.example.com', '--user', 'alice'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not encrypted'),
    })
  })
})
