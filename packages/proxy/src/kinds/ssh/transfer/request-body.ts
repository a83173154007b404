/** The file in the body of an upload. */
import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { badParameter } from '../../../core/errors.ts'
import { boundaryOf, firstFile } from './multipart.ts'

export interface UploadBody {
  /** Bytes of the file; undefined where only the end tells. */
  readonly size: number | undefined
  /** The bytes, until `signal` aborts, as they come; each piece is told. What is left of them is not read when the reader stops. */
  bytes(signal: AbortSignal, onProgress: () => void): Readable
}

const waiting = 256 * 1024

/** Throws bad parameter for a body of unknown length. */
export function readUpload(request: IncomingMessage): UploadBody {
  const length = request.headers['content-length']
  if (length === undefined) throw badParameter('Content-Length is required: it tells a file that arrived from one that was cut off')
  const boundary = boundaryOf(request.headers['content-type'])
  return {
    size: boundary === undefined ? Number(length) : undefined,
    bytes(signal, onProgress) {
      const body = stoppable(request, signal, onProgress)
      return boundary === undefined ? body : Readable.from(firstFile(body, boundary), { objectMode: false })
    },
  }
}

/** The body on a stream of its own, so that whoever stops can still be answered on the connection. */
function stoppable(request: IncomingMessage, signal: AbortSignal, onProgress: () => void): PassThrough {
  const body = new PassThrough({ highWaterMark: waiting })
  const stop = (): void => {
    request.unpipe(body)
    body.destroy(new Error('the upload was stopped', { cause: signal.reason }))
  }
  request.once('error', (error) => body.destroy(error))
  const end = (): void => {
    if (!request.complete) body.destroy(new Error('the client went away'))
  }
  if (request.destroyed) end()
  else request.once('close', end)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  request.on('data', onProgress)
  return request.pipe(body)
}
