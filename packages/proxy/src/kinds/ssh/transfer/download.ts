/** The answer to a download: its headers, and its bytes as the server gives them. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { badParameter } from '../../../core/errors.ts'
import { packDirectory } from './archive.ts'
import { sftpOf } from './open-file.ts'
import type { Transfer } from './open-transfer.ts'
import { parseRange } from './range.ts'
import type { RemoteSource } from './remote-file.ts'
import { baseName } from './remote-path.ts'
import { openScpSource } from './scp-files.ts'
import { openSftpSource } from './sftp-files.ts'

export interface DownloadRequest {
  location: string
  archive: boolean
  /** The `Range` and `If-Range` of the request. */
  range: string | undefined
  ifRange: string | undefined
}

/** Sends the file. Rejects before anything was sent; what breaks later breaks the answer off. */
export async function sendFile(reply: FastifyReply, transfer: Transfer, request: DownloadRequest): Promise<FastifyReply> {
  const sftp = await sftpOf(transfer.connection)
  if (request.archive) {
    if (!sftp) throw badParameter('this server has no SFTP, so directories cannot be packed on the way; name single files')
    const { path, bytes } = await packDirectory(sftp, request.location, (file) => transfer.note('TS001I', file, { flags: readOnly }))
    attach(reply, `${baseName(path) || 'root'}.tar`)
    return reply.send(audited(transfer, path, bytes))
  }
  const source = sftp ? await openSftpSource(sftp, request.location) : await openScpSource(transfer.connection, request.location)
  if (sftp) await transfer.note('TS001I', source.path, { flags: readOnly })
  const { start, end } = answerRange(reply, source, request)
  attach(reply, baseName(source.path)).header('content-length', end - start)
  return reply.send(audited(transfer, source.path, source.read(start, end)))
}

/** `O_RDONLY`. */
const readOnly = 0

/** Consoles decode the name, so every character that means something there or in a header is encoded. */
function attach(reply: FastifyReply, name: string): FastifyReply {
  const encoded = encodeURIComponent(name).replaceAll(/['()*!]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
  return reply.type('application/octet-stream').header('content-disposition', `attachment;filename="${encoded}"`)
}

/** Sets what tells the part that is sent. A file that has changed since is sent as a whole. */
function answerRange(reply: FastifyReply, { size, modified, canSeek }: RemoteSource, { range, ifRange }: DownloadRequest) {
  const whole = { start: 0, end: size }
  if (!canSeek) return whole
  const tag = `"${size}-${modified ?? 0}"`
  reply.header('accept-ranges', 'bytes').header('etag', tag)
  if (range === undefined || (ifRange !== undefined && ifRange !== tag)) return whole
  const part = parseRange(range, size)
  if (part === undefined) return whole
  reply.code(206).header('content-range', `bytes ${part.start}-${part.end - 1}/${size}`)
  return part
}

/** The bytes, of which the last are held back until the event is durable that says that all were sent. */
function audited(transfer: Transfer, path: string, bytes: AsyncIterable<Buffer>): Readable {
  async function* held(): AsyncGenerator<Buffer> {
    let last: Buffer | undefined
    let size = 0
    try {
      for await (const piece of bytes) {
        transfer.progress()
        if (last) yield last
        last = piece
        size += piece.length
      }
      await transfer.conclude({ path, size })
      if (last) yield last
    } catch (error) {
      await transfer.conclude({ error: transfer.refusal(error) })
      throw error
    } finally {
      await transfer.close()
    }
  }
  const stream = Readable.from(held(), { objectMode: false })
  // A client that goes away, or a lock, ends it wherever it is, also before its first byte.
  const stop = (): void => {
    stream.destroy()
    void transfer.conclude({ error: transfer.refusal(undefined) }).finally(() => transfer.close())
  }
  if (transfer.signal.aborted) stop()
  else transfer.signal.addEventListener('abort', stop, { once: true })
  return stream
}
