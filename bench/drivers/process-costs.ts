/** What a process of somebody else costs, as Linux counts it. */
import { readFile, readdir } from 'node:fs/promises'

/** Bytes of memory. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]
  if (kilobytes === undefined) throw new Error(`process ${pid} has no memory`)
  return Number(kilobytes) * 1024
}

const ticksPerSecond = 100

/** Of user and system time, since its start. */
export async function processorSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

export const openFiles = async (pid: number): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length
