/** A process that opens shells over SSH and keeps them, with nothing else in it; answers with its memory in bytes. */
import { connectTo } from './bare-connection.ts'
import type { Identity, Place } from './world-process.ts'

interface Order {
  place: Place
  identity: Identity
  shells: number
}

const kept: unknown[] = []

async function open({ place, identity }: Order): Promise<void> {
  const connection = await connectTo(place, identity)
  const shell = await connection.shell({ term: 'xterm-256color', cols: 80, rows: 24 })
  shell.resume()
  kept.push(connection, shell)
}

process.on('message', (order: Order) => {
  void (async () => {
    for (let count = 0; count < order.shells; count += 1) await open(order)
    for (let round = 0; round < 3; round += 1) globalThis.gc?.()
    process.send?.(process.memoryUsage().rss)
  })()
})
process.on('disconnect', () => process.exit(0))
