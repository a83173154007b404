/** pgbench's reads, and what they cost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { requireProgram } from '@sallyport/testkit/targets/programs.ts'
import { percentile } from '../statistics.ts'

/** Where its clients connect to. */
export interface Server {
  host: string
  port: number
  /** Variables of libpq, such as a certificate to log in with. */
  env?: Record<string, string>
}

export interface Reads {
  /** Statements a second. */
  tps: number
  /** Milliseconds of one. */
  p50: number
}

async function pgbench({ host, port, env }: Server, args: readonly string[], folder?: string): Promise<string> {
  const child = spawn(requireProgram('pgbench'), ['-h', host, '-p', String(port), '-U', 'writer', ...args, 'orders'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    cwd: folder,
  })
  const closed = once(child, 'close')
  const said = await text(child.stdout)
  const [code] = (await closed) as [number | null]
  if (code !== 0) throw new Error(`pgbench ended with ${code}`)
  return said
}

export const fillTables = (server: Server): Promise<string> => pgbench(server, ['-i', '-q', '-s', '1'])

export async function read(
  server: Server,
  { clients, seconds, mode = 'simple' }: { clients: number; seconds: number; mode?: string },
): Promise<Reads> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-pgbench-'))
  try {
    const said = await pgbench(server, ['-S', '-n', '-l', '-M', mode, '-c', String(clients), '-T', String(seconds)], folder)
    const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    const times = logs.flatMap((log) =>
      log
        .trim()
        .split('\n')
        .map((line) => Number(line.split(' ')[2]) / 1000),
    )
    return { tps: Number(/tps = ([\d.]+)/.exec(said)?.[1]), p50: percentile(times, 0.5) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
