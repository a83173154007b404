/** A crowd of clients that begin something and never end it. Whoever is cut off comes back; the crowd stays as large as it was told to be. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { openBrowserTerminal } from './browser-terminal.ts'
import type { Place } from './world-process.ts'

export interface Crowd {
  port: number
  /** How many of each. */
  clients: Partial<Record<keyof typeof openings, number>>
  /** Where terminals are flooded that nobody reads. */
  terminals?: { count: number; place: Pick<Place, 'origin' | 'cookie' | 'bearer' | 'cluster' | 'login'> & { ssh: { id: string } } }
}

const request = (method: string, more: string): Buffer =>
  Buffer.from(`${method} /v1/webapi/sessions/web HTTP/1.1\r\nHost: localhost\r\n${more}`)
/** What each kind says before it falls silent. */
const openings = {
  silent: Buffer.alloc(0),
  slowHeaders: request('GET', ''),
  slowBody: request('POST', 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"user":'),
  sshBanner: Buffer.from('SSH-2.0-slow\r\n'),
  // The head of a ClientHello of 512 bytes.
  tlsHello: Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]),
}
/** At most so long one that was cut off stays away, and so long it takes until all are there: they are not to come and go in one moment. */
const spread = 10_000
const dripInterval = 2000
const drips: Partial<Record<keyof typeof openings, string>> = { slowHeaders: 'X-Slow: 1\r\n', slowBody: ' ' }

const live = new Set<Socket>()
let dropped = 0

/** Resolves when it has begun. */
async function stall(port: number, kind: keyof typeof openings): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined).pause()
  const closed = once(socket, 'close')
  await Promise.race([once(socket, 'connect'), closed])
  if (!socket.destroyed) {
    socket.write(openings[kind])
    live.add(socket)
  }
  const drip = drips[kind]
  const timer = drip === undefined ? undefined : setInterval(() => socket.write(drip), dripInterval)
  // Without reading the end would not be seen.
  socket.resume()
  void closed.then(() => {
    clearInterval(timer)
    live.delete(socket)
    dropped += 1
    setTimeout(() => void stall(port, kind), Math.random() * spread)
  })
}

async function flood(place: NonNullable<Crowd['terminals']>['place']): Promise<void> {
  const terminal = await openBrowserTerminal(place as Place)
  terminal.write('yes "nobody reads what is written here"\n')
  terminal.stall(true)
}

process.on('message', (crowd: Crowd | 'count') => {
  if (crowd === 'count') return void process.send?.({ live: live.size, dropped })
  void (async () => {
    const kinds = Object.entries(crowd.clients) as [keyof typeof openings, number][]
    const all = kinds.flatMap(([kind, count]) => Array.from({ length: count }, () => kind))
    await Promise.all(all.map((kind) => wait(Math.random() * spread).then(() => stall(crowd.port, kind))))
    for (let count = 0; count < (crowd.terminals?.count ?? 0); count += 1) if (crowd.terminals) await flood(crowd.terminals.place)
    process.send?.('there')
  })()
})
process.on('disconnect', () => process.exit(0))
