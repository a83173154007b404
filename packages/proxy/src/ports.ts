/**
 * The listening sockets of a proxy. They are opened here, or taken over from the process that served before: then both
 * hold the same socket of the system, so that no connection that waits on it is lost when one of them lets go.
 */
import { once } from 'node:events'
import { lookup } from 'node:dns/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Server, ServerOpts, Socket } from 'node:net'
import type { Address } from './config.ts'

/** A listening socket on its way to another process. */
export interface PassedPort {
  /** What it is for, and where: the settings that it was opened with. */
  readonly name: string
  /** As Node passes it between processes. */
  readonly handle: unknown
}

export interface Port {
  readonly address: Address
  passed(): PassedPort[]
  /** Takes nobody in any more. Resolves when everybody who came has left. */
  close(): Promise<void>
  /** Connections that came in here and are open. */
  count(): Promise<number>
}

export interface PortOptions {
  use: 'web' | 'ssh'
  at: Address
  socket: ServerOpts
  accept: (socket: Socket) => void
  /** Of the process before. */
  taken?: readonly PassedPort[]
}

/** Rejects with the error of the system. */
export async function openPort({ use, at, socket, accept, taken = [] }: PortOptions): Promise<Port> {
  const name = `${use} ${at.host}:${at.port}`
  const create = (): Server => createServer(socket, accept)
  const own = taken.filter((port) => port.name === name)
  const servers =
    own.length > 0 ? await Promise.all(own.map(({ handle }) => listen(create(), handle as object))) : await openAll(at, create)
  const [first] = servers
  if (!first) throw new Error('no socket was opened')
  const bound = first.address() as AddressInfo
  return {
    address: { host: bound.address, port: bound.port },
    passed: () => servers.map((server) => ({ name, handle: handleOf(server) })),
    close: async () => void (await Promise.all(servers.map(closed))),
    count: async () => (await Promise.all(servers.map(countOf))).reduce((sum, count) => sum + count, 0),
  }
}

/** Lets go of sockets that were taken over and are not needed: their names are not among `used`. */
export function releasePorts(taken: readonly PassedPort[], used: readonly PassedPort[]): void {
  const names = new Set(used.map(({ name }) => name))
  for (const { name, handle } of taken) if (!names.has(name)) closeHandle(handle)
}

/** Of a socket that was passed, in this process only. */
export function closeHandle(handle: unknown): void {
  if (typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function') handle.close()
}

/** `localhost` has several addresses; browsers may choose any. Those after the first are opened where the machine has them. */
async function openAll({ host, port }: Address, create: () => Server): Promise<Server[]> {
  const found = host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : []
  const first = await listen(create(), { host: found[0] ?? host, port })
  const others = found.slice(1).map((address) => listen(create(), { host: address, port: (first.address() as AddressInfo).port }))
  const opened = await Promise.allSettled(others)
  return [first, ...opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))]
}

async function listen(server: Server, where: object): Promise<Server> {
  const listening = once(server, 'listening')
  server.listen(where)
  await listening
  return server
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    // It may be closed already: then the others are waited for all the same.
    server.close(() => resolve())
  })

const countOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

/** Node passes servers too, but whoever gets one accepts on it at once, also who is only to hand it on. */
function handleOf(server: Server): unknown {
  const handle: unknown = Reflect.get(server, '_handle')
  if (typeof handle !== 'object' || handle === null) throw new Error('Node changed inside (the handles of its servers)')
  return handle
}
