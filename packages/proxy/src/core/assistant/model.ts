/** The model behind the assistant: any service that answers chat completions as OpenAI's does, streamed. */
import { readFile } from 'node:fs/promises'
import { ModelError } from './model-error.ts'
import { readAnswer } from './model-stream.ts'
import type { ModelAnswer, ToolCall } from './model-stream.ts'

export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; calls?: readonly ToolCall[] }
  | { role: 'tool'; content: string; call: string }

/** Something that the model may ask for; `parameters` is a JSON schema. */
export interface ModelTool {
  name: string
  description: string
  parameters: object
}

export interface ModelRequest {
  messages: readonly ModelMessage[]
  tools?: readonly ModelTool[]
}

export interface Model {
  /** Rejects with ModelError, or with the signal's reason. */
  ask(request: ModelRequest, signal: AbortSignal, onText?: (text: string) => void): Promise<ModelAnswer>
}

export interface ModelOptions {
  /** What `/chat/completions` is put behind. */
  address: string
  model: string
  /** The key itself, or the file that holds it. It is read for each question, so that it can be changed. */
  key?: string | undefined
  keyFile?: string | undefined
  /** Milliseconds without a byte after which it counts as stalled, and for an answer as a whole. */
  patience?: number
  longest?: number
}

export function createModel({ address, model, key, keyFile, patience = 60_000, longest = 5 * 60_000 }: ModelOptions): Model {
  const url = `${address.replace(/\/+$/, '')}/chat/completions`

  async function keyNow(): Promise<string | undefined> {
    if (keyFile === undefined) return key
    try {
      return (await readFile(keyFile, 'utf8')).trim() || undefined
    } catch (cause) {
      throw new ModelError('key', { cause })
    }
  }

  return {
    async ask({ messages, tools = [] }, signal, onText = () => undefined) {
      const bearer = await keyNow()
      const stalled = new AbortController()
      const stall = (): void => stalled.abort(new ModelError('stalled'))
      const timer = setTimeout(stall, patience)
      const total = setTimeout(stall, longest)
      const ended = AbortSignal.any([signal, stalled.signal])
      try {
        const response = await fetch(url, {
          method: 'POST',
          // Elsewhere the key would be somebody else's.
          redirect: 'error',
          headers: {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          },
          body: JSON.stringify({
            model,
            stream: true,
            messages: messages.map(toWire),
            ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
          }),
          signal: ended,
        })
        if (!response.ok || !response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
          await response.body?.cancel()
          throw refusalOf(response)
        }
        return await readAnswer(response.body, { onText, onBytes: () => timer.refresh() })
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (stalled.signal.aborted) throw stalled.signal.reason
        if (error instanceof ModelError) throw error
        throw new ModelError(isBroken(error) ? 'broken' : 'unreachable', { cause: error })
      } finally {
        clearTimeout(timer)
        clearTimeout(total)
      }
    },
  }
}

/** fetch fails with "fetch failed" before there is an answer, with "terminated" in the middle of one. */
const isBroken = (error: unknown): boolean => error instanceof Error && error.message === 'terminated'

function refusalOf({ ok, status }: Response): ModelError {
  if (ok) return new ModelError('rubbish', { status })
  if (status === 401 || status === 403) return new ModelError('refused', { status })
  return new ModelError(status === 429 ? 'busy' : 'failed', { status })
}

function toWire(message: ModelMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call, content: message.content }
  if (message.role !== 'assistant' || !message.calls?.length) return { role: message.role, content: message.content }
  return {
    role: 'assistant',
    content: message.content,
    tool_calls: message.calls.map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: input } })),
  }
}
