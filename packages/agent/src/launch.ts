import { existsSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import type { Account } from './accounts.ts'

/** What to start, and how, for a session. */
export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Programs that are ours and run one after the other before that which was asked for. */
  readonly preludes: number
}

export interface LaunchRequest {
  readonly account: Account
  /** Run by the login shell; undefined starts the shell itself, as a login shell. */
  readonly command?: string | undefined
  readonly terminal: boolean
  /** Added to the environment, already checked by clientEnvironment. */
  readonly env?: Readonly<Record<string, string>>
  /** Wins over all else that the environment holds. */
  readonly fixed?: Readonly<Record<string, string>>
  /** Path of the control group that it enters before anything else; it does not run where it cannot. */
  readonly group?: string | undefined
}

const systemPath = '/usr/local/bin:/usr/bin:/bin'
const rootPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Runs first in every child, still as the agent: closes what was inherited, then becomes its arguments.
 * The terminal module leaves the other sessions' terminals open to every child, and no session may reach
 * another's. `--norc -p`: bash must not read files of the login's home here, as it would when its standard
 * input is a socket.
 */
const closeInherited = '[ -d /dev/fd ] || exit 126; for fd in /dev/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done'
const markUtf8 = 'stty iutf8 2>&1 >/dev/null'
const bashFlags = ['--norc', '--noprofile', '-p', '-c']

export function findProgram(name: string): string | undefined {
  return rootPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))
}

/** Why shells cannot be served on this machine; undefined when they can. */
export function whyNotServe(): string | undefined {
  if (process.platform === 'win32') return 'Shells are not served on Windows yet. Run the agent on Linux or macOS.'
  if (!findProgram('bash')) return 'The agent needs bash to start shells. Install it and start again.'
  if (process.platform === 'linux' && process.getuid?.() === 0 && !findProgram('setpriv')) {
    return 'The agent needs setpriv (package util-linux) to start shells as other users. Install it and start again.'
  }
  return undefined
}

/** Wraps a program so that it inherits nothing but its three standard streams. */
export function isolated(argv: readonly string[], prologue = ''): { file: string; args: string[] } {
  return { file: findProgram('bash') ?? 'bash', args: [...bashFlags, `${closeInherited}; ${prologue} exec "$@"`, 'sallyport', ...argv] }
}

function become(account: Account): string[] {
  if (process.getuid?.() === account.uid) return []
  return [findProgram('setpriv') ?? 'setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--init-groups', '--']
}

/** A login shell is told so by a dash before its name. */
function loginShell(shell: string): string[] {
  return [findProgram('bash') ?? 'bash', ...bashFlags, 'exec -a "$1" "$2"', 'sallyport', `-${basename(shell)}`, shell]
}

/** The path comes from the kernel; quotes in it would be somebody's joke. */
const enter = (group: string): string => `echo $$ > '${group.replaceAll("'", String.raw`'\''`)}/cgroup.procs' || exit 126;`

export function planLaunch({ account, command, terminal, env = {}, fixed = {}, group }: LaunchRequest): Launch {
  const program = command === undefined ? loginShell(account.shell) : [account.shell, '-c', command]
  const becoming = become(account)
  return {
    preludes: (becoming.length > 0 ? 1 : 0) + (command === undefined ? 1 : 0),
    ...isolated([...becoming, ...program], `${group === undefined ? '' : enter(group)} ${terminal ? `${markUtf8};` : ''}`),
    cwd: existsSync(account.home) ? account.home : '/',
    env: {
      LANG: 'C.UTF-8',
      ...env,
      HOME: account.home,
      USER: account.name,
      LOGNAME: account.name,
      SHELL: account.shell,
      PATH: account.uid === 0 ? rootPath : systemPath,
      ...fixed,
    },
  }
}
