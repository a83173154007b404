/**
 * Who of a session without a terminal still holds its input or output. What a script starts with `> log < /dev/null &` is
 * meant to go on without the session, as it does below OpenSSH's server: editors start their servers so, and come back to
 * them after the network was away.
 */
import { readlinkSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'

export interface HeldStreams {
  /** Processes of the group that hold one of them, and its leader. */
  holders: () => Promise<number[]>
}

/** `leader` was started a moment ago and has only its three standard streams. Undefined where the system does not tell. */
export function holdStreams(leader: number): HeldStreams | undefined {
  if (process.platform !== 'linux') return undefined
  let streams: Set<string>
  try {
    streams = new Set([0, 1, 2].map((fd) => readlinkSync(`/proc/${leader}/fd/${fd}`)))
  } catch {
    return undefined // gone already, or /proc is not there
  }
  const isHolder = async (pid: number): Promise<boolean> => {
    try {
      if ((await groupOf(pid)) !== leader) return false
      if (pid === leader) return true
      const folder = `/proc/${pid}/fd`
      const open = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')))
      return open.some((file) => streams.has(file))
    } catch (error) {
      // One that is not shown to us belongs to somebody else; one that is gone needs nothing.
      return error instanceof Error && 'code' in error && error.code === 'EACCES'
    }
  }
  return {
    holders: async () => {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name)).map(Number)
      const holding = await Promise.all(pids.map(isHolder))
      return pids.filter((_, index) => holding[index])
    },
  }
}

/** The name of a program stands in parentheses and may hold anything; after it come state, parent and group. */
async function groupOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}
