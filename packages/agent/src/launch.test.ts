import { mayClientSet } from '@sallyport/protocols/ssh/client-environment.ts'
import { execFileSync } from 'node:child_process'
import type { StdioOptions } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findAccount, whyNotBecome } from './accounts.ts'
import { isolated, planLaunch } from './launch.ts'
import type { LaunchRequest } from './launch.ts'

const isRoot = process.getuid?.() === 0
const self = userInfo()

function run(request: LaunchRequest): string {
  const { file, args, cwd, env } = planLaunch(request)
  return execFileSync(file, args, { cwd, env, encoding: 'utf8', input: '' })
}

test.skipIf(!isRoot)(
  `another login gets its own user, groups, home and environment${isRoot ? '' : ' (skipped: it needs root)'}`,
  async () => {
    const account = await findAccount('nobody')
    expect.assert(account)
    const output = run({ account: { ...account, shell: '/bin/sh' }, command: 'id -u; id -G; env', terminal: false, env: { LC_ALL: 'C' } })
    expect(output).toMatch(new RegExp(`^${account.uid}\n${account.gid}\n`, 'u'))
    expect(output).toContain(`HOME=${account.home}`)
    expect(output).toContain('LC_ALL=C')
    expect(output).not.toMatch(/npm_|VITEST|NODE/u)
  },
)

test("nothing of a login's home is run before its own user is taken on", async () => {
  const home = mkdtempSync(join(tmpdir(), 'sallyport-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const file of ['.bashrc', '.bash_profile', '.profile', '.bash_login']) writeFileSync(join(home, file), `echo read ${file} on $0`)
  const account = { name: self.username, uid: self.uid, gid: self.gid, home, shell: '/bin/sh' }
  expect(run({ account, command: 'echo only this', terminal: false })).toBe('only this\n')
  expect(run({ account, terminal: false })).toBe('read .profile on -sh\n')
})

test('a child inherits its standard streams only', () => {
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', 'pipe', 'pipe', 'pipe']
  const openFiles = (file: string, args: string[]) => execFileSync(file, args, { stdio, encoding: 'utf8' }).trim().split('\n').map(Number)
  const { file, args } = isolated(['ls', '/proc/self/fd'])
  // ls itself opens the directory as 3.
  expect(openFiles(file, args)).toEqual([0, 1, 2, 3])
  expect(openFiles('ls', ['/proc/self/fd'])).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5]))
})

test.each([
  ['LANG', 'de_DE.UTF-8', true],
  ['LC_ALL', 'C', true],
  ['COLORTERM', 'truecolor', true],
  ['LC_ALL', '../../tmp/evil', false],
  ['LC_ALL', 'C\nPATH=/tmp', false],
  ['LD_PRELOAD', 'evil.so', false],
  ['BASH_ENV', '/tmp/evil', false],
  ['LC_BASH_ENV=x', 'y', false],
  ['PATH', '/tmp', false],
  ['TERM', 'xterm', false],
])('a client may set %s=%j: %s', (name, value, allowed) => {
  expect(mayClientSet(name, value)).toBe(allowed)
})

test('logins are found by their name only', async () => {
  expect(await findAccount(self.username)).toMatchObject({ uid: self.uid, home: self.homedir })
  for (const login of ['no-such-login', String(self.uid), '', '-x', '../root', 'root\n', 'a'.repeat(100)])
    expect(await findAccount(login)).toBeUndefined()
})

test('a process that is not root becomes nobody else', async () => {
  const account = await findAccount(self.username)
  expect.assert(account)
  expect(whyNotBecome(account)).toBeUndefined()
  if (isRoot) expect(whyNotBecome({ ...account, uid: 65534 })).toBeUndefined()
  else expect(whyNotBecome({ ...account, uid: self.uid + 1 })).toContain(`runs as "${self.username}"`)
})
