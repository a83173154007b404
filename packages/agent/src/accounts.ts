import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'

/** A login of this machine, as its user database tells. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

const lookupTimeout = 5_000
const loginPattern = /^[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,63}\$?$/u
const defaultShell = '/bin/sh'

/** The passwd line of that login: from getent, which knows directories too, or from the file where there is no getent. */
async function passwdLine(login: string): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  execFile('getent', ['passwd', '--', login], { timeout: lookupTimeout, encoding: 'utf8' }, (error, stdout) => {
    if (!error) resolve(stdout.split('\n')[0])
    else if (error.code === 2) resolve(undefined)
    else if (error.code === 'ENOENT')
      readFile('/etc/passwd', 'utf8').then((text) => resolve(text.split('\n').find((line) => line.startsWith(`${login}:`))), reject)
    else reject(new Error(`The user database did not answer for "${login}".`, { cause: error }))
  })
  return promise
}

/** Undefined when this machine has no such login. Rejects when the user database cannot be asked. */
export async function findAccount(login: string): Promise<Account | undefined> {
  if (!loginPattern.test(login)) return undefined
  const self = userInfo()
  if (process.platform === 'darwin') {
    if (login !== self.username) return undefined
    return { name: login, uid: self.uid, gid: self.gid, home: self.homedir, shell: self.shell || defaultShell }
  }
  const fields = (await passwdLine(login))?.split(':')
  // getent also takes a number for a name; only the name itself counts.
  if (!fields || fields.length < 7 || fields[0] !== login) return undefined
  const [, , uid, gid, , home, shell] = fields
  if (!uid || !gid || !/^\d+$/u.test(uid) || !/^\d+$/u.test(gid)) return undefined
  return { name: login, uid: Number(uid), gid: Number(gid), home: home || '/', shell: shell || defaultShell }
}

/** Why this process cannot run a shell as that account; undefined when it can. */
export function whyNotBecome(account: Account): string | undefined {
  const own = process.getuid?.()
  if (own === 0 || own === account.uid) return undefined
  return `the agent runs as "${userInfo().username}" and may open shells only as that login; start it as root for others`
}
