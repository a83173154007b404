import { StringDecoder } from 'node:string_decoder'
import type { Duplex, Readable } from 'node:stream'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'

const newline = 0x0a
const tooLong = (limit: number): ProtocolError => new ProtocolError('line/too-long', `A line is longer than ${limit} bytes.`)

/** The first line of a stream. What follows it stays in the stream. Rejects when the stream ends before, or with ProtocolError. */
export async function readLine(stream: Duplex, limit: number): Promise<string> {
  let gathered = Buffer.alloc(0)
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    gathered = Buffer.concat([gathered, chunk])
    const end = gathered.indexOf(newline)
    if (end > limit || (end === -1 && gathered.length > limit)) throw tooLong(limit)
    if (end === -1) continue
    if (gathered.length > end + 1) stream.unshift(gathered.subarray(end + 1))
    return gathered.toString('utf8', 0, end)
  }
  throw new ProtocolError('line/cut', 'The connection ended within a line.')
}

/** All lines of a stream, none longer than `limit` bytes, as fast as they are taken. Rejects with ProtocolError. */
export async function* linesOf(stream: Readable, limit: number): AsyncGenerator<string> {
  let gathered: Buffer = Buffer.alloc(0)
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    gathered = gathered.length === 0 ? chunk : Buffer.concat([gathered, chunk])
    for (let end = gathered.indexOf(newline); end !== -1; end = gathered.indexOf(newline)) {
      if (end > limit) throw tooLong(limit)
      yield gathered.toString('utf8', 0, end)
      gathered = gathered.subarray(end + 1)
    }
    if (gathered.length > limit) throw tooLong(limit)
  }
}

/** Messages in lines of JSON, all that have come at a time. Rejects with ProtocolError, or with what the form has against one. */
export async function* messagesOf<T>(stream: Readable, limit: number, form: { parse(value: unknown): T }): AsyncGenerator<T[]> {
  let rest = ''
  const decoder = new StringDecoder('utf8')
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > limit || lines.some((line) => line.length > limit)) throw tooLong(limit)
    if (lines.length > 0) yield lines.map((line) => form.parse(JSON.parse(line)))
  }
}

/** Resolves when the line has left: HTTP/2 must not take over a connection on which a write of somebody else is under way. */
export function sendLine(stream: Duplex, message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
  })
}
