/** A network of its own, on this machine, from which only connections to one port of the outside can be made, and into which none. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { whyNoProgram } from './programs.ts'

export interface Namespace extends AsyncDisposable {
  /** In front of a command that is to run in it. */
  readonly wrap: readonly string[]
  /** Port in there that leads to the chosen one out here. */
  readonly outward: number
  /** Port in there of a service that says where it is. */
  readonly inner: number
  /** From now on nothing passes, and nobody is told. */
  cut(): void
  /** Connections that hung are gone; new ones pass. */
  mend(): void
}

export function whyNoNamespace(): string | undefined {
  const missing = whyNoProgram('ip')
  if (missing) return missing
  return spawnSync('unshare', ['--net', 'true']).status === 0 ? undefined : 'this user may not make network namespaces (run as root)'
}

export async function startNamespace(port: number): Promise<Namespace> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-namespace-'))
  const way = join(directory, 'way.sock')
  const pairs = new Set<[Socket, Socket]>()
  let isCut = false
  const outside = createServer((socket) => {
    const onward = connect({ host: '127.0.0.1', port, noDelay: true })
    const pair: [Socket, Socket] = [socket, onward]
    pairs.add(pair)
    socket.pipe(onward).pipe(socket)
    if (isCut) for (const one of pair) one.pause()
    for (const [one, other] of [pair, pair.toReversed() as [Socket, Socket]])
      one
        .on('error', () => {})
        .once('close', () => {
          pairs.delete(pair)
          if (!isCut) other.destroy()
        })
  })
  await once(outside.listen(way), 'listening')
  const script = 'ip link set lo up && exec "$@"'
  const child = spawn(
    'unshare',
    ['--net', 'sh', '-c', script, 'sh', process.execPath, join(import.meta.dirname, 'namespace-child.ts'), way],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const ports = z.object({ outward: z.number(), inner: z.number() }).parse(JSON.parse(line))
  return {
    ...ports,
    wrap: ['nsenter', `--net=/proc/${child.pid}/ns/net`, '--'],
    cut() {
      isCut = true
      for (const pair of pairs) for (const one of pair) one.unpipe().pause()
    },
    mend() {
      isCut = false
      for (const pair of pairs) for (const one of pair) one.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const one of pair) one.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
      await new Promise((resolve) => outside.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
