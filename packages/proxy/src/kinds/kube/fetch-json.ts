/** One question to the API of a cluster whose answer is read here. */
import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { ApiClient } from './api-client.ts'
import { unreachable } from './forward.ts'
import { refusalOf } from './status.ts'

const answerLimit = 16 * 1024 * 1024

/** Rejects with ApiRefusal in the cluster's own words, or ApiUnreachable. */
export async function fetchJson(api: ApiClient, path: string, headers: OutgoingHttpHeaders, signal: AbortSignal): Promise<unknown> {
  const { status, text } = await read(api, path, headers, signal).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (status >= 300) throw refusalOf(status, text)
  return JSON.parse(text)
}

async function read(
  api: ApiClient,
  path: string,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const request = api.request('GET', path, { ...headers, accept: 'application/json' }, signal)
  request.end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const parts: Buffer[] = []
  let length = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length
    if (length > answerLimit) {
      answer.destroy()
      throw new Error('its answer is too large')
    }
    parts.push(part)
  }
  return { status: answer.statusCode ?? 502, text: Buffer.concat(parts).toString('utf8') }
}
