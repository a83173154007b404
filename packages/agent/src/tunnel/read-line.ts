import type { Duplex } from 'node:stream'

const newline = 0x0a

/** The first line of a stream. What follows it stays in the stream. Rejects when it is longer than `limit` bytes or the stream ends. */
export async function readLine(stream: Duplex, limit: number): Promise<string> {
  let gathered = Buffer.alloc(0)
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    gathered = Buffer.concat([gathered, chunk])
    const end = gathered.indexOf(newline)
    if (end > limit || (end === -1 && gathered.length > limit)) break
    if (end === -1) continue
    if (gathered.length > end + 1) stream.unshift(gathered.subarray(end + 1))
    return gathered.toString('utf8', 0, end)
  }
  throw new Error('the other side does not speak the protocol of the tunnel')
}
