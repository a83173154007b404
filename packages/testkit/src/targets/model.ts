/** Stands in for a language model: speaks the streamed chat completions of OpenAI, and says what the test wants. No real model can run here. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface AskedMessage {
  role: string
  content: string | null
  tool_calls?: { function: { name: string; arguments: string } }[]
}

export interface AskedRequest {
  authorization: string | undefined
  path: string
  body: { model: string; stream: boolean; messages: AskedMessage[]; tools?: unknown[] }
  /** Resolves when the proxy has hung up or the answer is complete. */
  closed: Promise<void>
}

type Reply = (response: ServerResponse, request: AskedRequest) => void | Promise<void>

export interface StandInModel extends AsyncDisposable {
  /** What the setting `assistAddress` is. */
  readonly address: string
  /** What it was asked, oldest first. */
  readonly asked: AskedRequest[]
  /** What it answers to the next requests, one each; then it repeats the question. */
  replies: Reply[]
}

const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const choice = (delta: object, finish_reason: string | null = null) => event({ choices: [{ index: 0, delta, finish_reason }] })
const begin = (response: ServerResponse): ServerResponse => response.writeHead(200, { 'content-type': 'text/event-stream' })

/** Text in pieces, as models write it. */
export const says =
  (...pieces: string[]): Reply =>
  (response) => {
    begin(response)
    for (const content of pieces) response.write(choice({ content }))
    response.end(choice({}, 'stop') + event('[DONE]'))
  }

/** Asks for a tool, its arguments in two pieces. */
export const calls =
  (name: string, input: unknown, text = ''): Reply =>
  (response) => {
    begin(response)
    if (text !== '') response.write(choice({ content: text }))
    const written = typeof input === 'string' ? input : JSON.stringify(input)
    const half = Math.floor(written.length / 2)
    response.write(choice({ tool_calls: [{ index: 0, id: 'call-1', function: { name, arguments: written.slice(0, half) } }] }))
    response.write(choice({ tool_calls: [{ index: 0, function: { arguments: written.slice(half) } }] }))
    response.end(choice({}, 'tool_calls') + event('[DONE]'))
  }

/** The bytes as they are, of an event stream unless told otherwise. */
export const writes =
  (text: string, type = 'text/event-stream'): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(text)

export const refuses =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response, { authorization }) =>
    // Some services repeat the key in what they say.
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message: `bad key ${authorization}` } }))

/** Says something, then nothing more. */
export const stalls =
  (text: string): Reply =>
  (response) =>
    void begin(response).write(choice({ content: text }))

/** Says something, then the connection breaks. */
export const breaksOff =
  (text: string): Reply =>
  (response) => {
    begin(response).write(choice({ content: text }), () => response.destroy())
  }

const repeats: Reply = (response, { body }) =>
  says('You asked: ', body.messages.findLast(({ role }) => role === 'user')?.content ?? '')(response, undefined as never)

export async function startModel(): Promise<StandInModel> {
  const asked: AskedRequest[] = []
  const model: Pick<StandInModel, 'replies'> = { replies: [] }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, 'close').then(() => undefined)
    const { authorization } = request.headers
    const body = (await json(request)) as AskedRequest['body']
    const told = { authorization, path: request.url ?? '', body, closed }
    asked.push(told)
    await (model.replies.shift() ?? repeats)(response, told)
  }
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(model, {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}
