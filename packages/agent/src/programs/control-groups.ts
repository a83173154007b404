/**
 * A control group (version 2) for each watched session, below the agent's own, so that nothing a session starts gets out of
 * it by detaching itself. What is left of them is cleared away when the agent is gone, however it went.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { findProgram } from '../launch.ts'
import { AgentError } from '../agent-error.ts'

export interface ControlGroup {
  readonly path: string
  /** As the kernel names it. */
  readonly id: bigint
}

export interface ControlGroups extends AsyncDisposable {
  /** Of sessions whose programs and connections are told. */
  readonly programs: ControlGroup
  /** Of sessions whose files are told as well. */
  readonly files: ControlGroup
  make(parent: ControlGroup, name: string): Promise<ControlGroup>
  /** True once it is empty and gone. */
  remove(group: ControlGroup): Promise<boolean>
}

/** Waits for the end of the agent, moves what still runs to where the agent was, and removes the groups. */
const cleaner = `
read -r _
for round in 1 2 3 4 5 6 7 8 9 10; do
  find "$1" -depth -type d 2>/dev/null | while read -r group; do
    while read -r pid; do echo "$pid" > "$2/cgroup.procs"; done < "$group/cgroup.procs"
    rmdir "$group"
  done 2>/dev/null
  [ -d "$1" ] || exit 0
  sleep 0.1
done`

/** Throws AgentError with the reason when there can be none. */
async function ownGroup(): Promise<string> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')
  const mount = mounts.find((line) => line.includes(' - cgroup2 '))?.split(' ')
  const own = /^0::(.*)$/mu.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1]
  const [, , , root, point] = mount ?? []
  if (root === undefined || point === undefined || own === undefined)
    throw new AgentError('this machine has no control groups of version 2 mounted')
  if (!own.startsWith(root === '/' ? '/' : `${root}/`) && own !== root)
    throw new AgentError('the control group of the agent is not among those that are mounted')
  return join(point, root === '/' ? own : own.slice(root.length))
}

const idOf = async (path: string): Promise<ControlGroup> => ({ path, id: (await stat(path, { bigint: true })).ino })

/** Throws AgentError with the reason when there can be none. */
export async function openControlGroups(): Promise<ControlGroups> {
  const base = await ownGroup()
  const root = join(base, `sallyport-${randomUUID()}`)
  const make = async (path: string): Promise<ControlGroup> => {
    await mkdir(path)
    return idOf(path)
  }
  try {
    await make(root)
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new AgentError(`control groups cannot be made in ${base} (${reason})`, { cause })
  }
  const waiting = spawn(findProgram('bash') ?? 'bash', ['--norc', '--noprofile', '-p', '-c', cleaner, 'sallyport', root, base], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const exited = once(waiting, 'exit')
  waiting.stdin.on('error', () => undefined) // it went before us
  return {
    programs: await make(join(root, 'programs')),
    files: await make(join(root, 'files')),
    make: (parent, name) => make(join(parent.path, name)),
    async remove({ path }) {
      for (const entry of await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []))
        if (entry.isDirectory()) await rmdir(join(entry.parentPath, entry.name)).catch(() => undefined)
      return rmdir(path).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      )
    },
    async [Symbol.asyncDispose]() {
      waiting.stdin.end()
      await exited
    },
  }
}
