/** At a root: a socket of a leaf, on a connection that was opened for it. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { errorBodyWire, errorStatus } from '@sallyport/wire/errors.ts'
import type { ErrorCode } from '@sallyport/wire/errors.ts'
import { socketMessageLimit } from '@sallyport/wire/limits.ts'
import { WebSocket } from 'ws'
import { AppError, connectionProblem } from '../errors.ts'

const handshakeWithin = 20_000
const refusalLimit = 64 * 1024

/** What has kept somebody from a leaf, in words for them. */
export const reachedLeaf = (leaf: string, cause: unknown): AppError =>
  cause instanceof AppError ? cause : connectionProblem(`cluster "${leaf}" is not reachable right now; try again in a moment`, { cause })

/** Resolves when the leaf has accepted; nothing is read before `resume`. */
export function openLeafSocket(target: string, stream: Duplex, headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(new URL(target, 'ws://leaf'), {
    createConnection: () => stream,
    headers,
    perMessageDeflate: false,
    maxPayload: socketMessageLimit,
    handshakeTimeout: handshakeWithin,
  })
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.pause()
      resolve(socket)
    })
    socket.once('unexpected-response', (_request, answer) => {
      refusalOf(answer)
        .then(reject, reject)
        .finally(() => socket.terminate())
    })
    socket.once('error', reject)
  })
}

async function refusalOf(answer: IncomingMessage): Promise<AppError> {
  const length = Number(answer.headers['content-length'] ?? 0)
  const body = length <= refusalLimit ? await text(answer) : ''
  const code = codes.find((candidate) => errorStatus[candidate] === answer.statusCode)
  const message = body === '' ? undefined : errorBodyWire.safeParse(JSON.parse(body)).data?.error.message
  return code && message !== undefined ? new AppError(code, message) : connectionProblem('the leaf cluster did not open the socket')
}
const codes = Object.keys(errorStatus) as ErrorCode[]
