/** What of the programs of its sessions this machine can tell, and how bpftrace is run on it. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { findProgram } from '../launch.ts'
import { openCalls } from './trace-script.ts'

export interface Kernel {
  /** In front of each command that needs to see the tracing directory. */
  readonly within: readonly string[]
  readonly bpftrace: string
  readonly canTellConnections: boolean
  /** Calls that open files and can be told; none where the kernel has no such events. */
  readonly openCalls: readonly string[]
}

/** Of the agent's environment: `off` where a machine must not be listened to. */
const switchVariable = 'SALLYPORT_ENHANCED_RECORDING'
const tracing = '/sys/kernel/tracing'
const needed = ['sched/sched_process_exec', 'sched/sched_process_fork', 'sched/sched_process_exit', 'cgroup/cgroup_mkdir']
const connections = 'sock/inet_sock_set_state'
const openOf = (call: string): string => `syscalls/sys_enter_${call}`

/** A mount of its own, where this machine has none; it goes with the program. */
function mounting(unshare: string, bash: string): string[] {
  const mount = `mount -t tracefs tracefs ${tracing} && exec "$@"`
  return [unshare, '--mount', '--propagation', 'private', '--', bash, '--norc', '--noprofile', '-p', '-c', mount, 'sallyport']
}

/** Text: why this machine can tell nothing. */
export async function inspectKernel(): Promise<Kernel | string> {
  if (process.env[switchVariable] === 'off') return `it is switched off there (${switchVariable})`
  if (process.platform !== 'linux') return 'programs are told on Linux only'
  if (process.getuid?.() !== 0) return 'the agent does not run as root'
  const bpftrace = findProgram('bpftrace')
  if (!bpftrace) return 'bpftrace is not installed'
  if (!existsSync('/sys/kernel/btf/vmlinux')) return 'the kernel does not describe itself (CONFIG_DEBUG_INFO_BTF)'
  const [unshare, setpriv, bash] = [findProgram('unshare'), findProgram('setpriv'), findProgram('bash')]
  if (!unshare || !setpriv || !bash) return 'unshare or setpriv (package util-linux) is missing'
  const within = existsSync(`${tracing}/events`) ? [] : mounting(unshare, bash)
  const wanted = [...needed, connections, ...openCalls.map(openOf)]
  const look = `cd ${tracing}/events && for event in "$@"; do [ -d "$event" ] && echo "$event"; done; true`
  const [file = bash, ...args] = [...within, bash, '--norc', '--noprofile', '-p', '-c', look, 'sallyport', ...wanted]
  const found = await promisify(execFile)(file, args, { encoding: 'utf8' }).catch((error: Error) => error.message.trim())
  if (typeof found === 'string') return `the tracing directory of the kernel cannot be reached (${found.split('\n').at(-1)})`
  const events = new Set(found.stdout.split('\n'))
  const absent = needed.find((event) => !events.has(event))
  if (absent !== undefined) return `the kernel has no event ${absent}`
  return {
    // It goes with us, however we go.
    within: [setpriv, '--pdeathsig', 'KILL', '--', ...within],
    bpftrace,
    canTellConnections: events.has(connections),
    openCalls: openCalls.filter((call) => events.has(openOf(call))),
  }
}
