/** One request to an application and its answer, as they come: nothing is held but what is under way. */
import { request as httpRequest } from 'node:http'
import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { AppError } from '../../core/errors.ts'
import type { HeaderPair } from './request-headers.ts'
import { answerHeaders } from './response-headers.ts'
import type { AnswerFrom } from './response-headers.ts'

export interface Forwarding {
  readonly agent: Agent
  readonly headers: readonly HeaderPair[]
  readonly from: AnswerFrom
  /** Ends what is under way. */
  readonly signal: AbortSignal
}

/** Applications may set more cookies than browsers send. */
export const answerHeadersLimit = 64 * 1024
/** A kept connection may be closed just as it is used again; then the next one is tried. */
const attempts = 3
/** Noted for a request whose answer nobody waited for. */
const clientLeft = 499

export const flat = (pairs: readonly HeaderPair[]): string[] => pairs.flatMap(([name, value]) => [name, value])

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
/** Servers wait for a length with these, even when there is nothing to send. */
const wantsLength = ({ method, headers }: IncomingMessage): boolean =>
  ['POST', 'PUT', 'PATCH'].includes(method ?? '') && headers['content-length'] === undefined

/** Resolves with the status of the answer once that is through, or broke off. Rejects with AppError when there is none. */
export function forwardRequest(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): Promise<number> {
  const withBody = hasBody(request)
  const headers = flat(forwarding.headers)
  if (!withBody && wantsLength(request)) headers.push('Content-Length', '0')
  return new Promise((resolve, reject) => {
    let left = attempts
    let current: ClientRequest | undefined
    response.once('close', () => {
      if (!response.writableFinished) current?.destroy()
    })
    const attempt = (): void => {
      if (response.destroyed || request.destroyed) return resolve(clientLeft)
      left -= 1
      let status: number | undefined
      const outgoing = httpRequest({
        agent: forwarding.agent,
        method: request.method,
        path: request.url,
        headers,
        maxHeaderSize: answerHeadersLimit,
        signal: forwarding.signal,
      })
      current = outgoing
      outgoing.once('response', (answer) => {
        status = answer.statusCode ?? 502
        if (response.destroyed) {
          outgoing.destroy()
          return resolve(status)
        }
        const kept = flat(answerHeaders(answer.rawHeaders, forwarding.from))
        try {
          response.writeHead(status, answer.statusMessage, kept)
        } catch (cause) {
          outgoing.destroy()
          return reject(noAnswer(cause))
        }
        // An answer that broke off is cut at the browser as well, so that nobody takes it for whole.
        pipeline(answer, response, () => resolve(status ?? 502))
      })
      outgoing.on('error', (cause) => {
        if (status !== undefined || response.destroyed) return resolve(status ?? clientLeft)
        if (outgoing.reusedSocket && !withBody && left > 0) return attempt()
        reject(noAnswer(cause))
      })
      // What it says about the end of the body, the errors above say as well.
      if (withBody) pipeline(request, outgoing, () => {})
      else outgoing.end()
    }
    attempt()
  })
}

export const noAnswer = (cause: unknown): AppError =>
  cause instanceof AppError
    ? cause
    : new AppError('connection_problem', 'the application broke off the connection or answered with something that is no HTTP', { cause })
