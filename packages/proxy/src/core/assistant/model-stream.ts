/** One streamed answer of a model: events of a chat completion, put together. Everything in it is untrusted, and bounded. */
import { createParser } from 'eventsource-parser'
import { chatTextLimit } from '@sallyport/wire/limits.ts'
import { z } from 'zod'
import { ModelError } from './model-error.ts'

/** What the model wants to have done; the arguments are text as it wrote them. */
export interface ToolCall {
  id: string
  name: string
  input: string
}

export interface ModelAnswer {
  text: string
  calls: ToolCall[]
}

const mostBytes = 4 * 1024 * 1024
const mostCalls = 8
const longestInput = 32 * 1024
const longestName = 64
/** Said instead of what a model goes on to say beyond all bounds. */
const cutNote = '\n\n*The answer was too long and is cut here.*'

const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.number().int().min(0).default(0),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  error: z.unknown().optional(),
})

/**
 * Reads to the end of the answer. `onText` gets the text as it comes, `onBytes` a sign of life. Rejects with ModelError
 * when the answer breaks off or makes no sense, and with whatever the body rejects with.
 */
export async function readAnswer(
  body: AsyncIterable<Uint8Array>,
  { onText, onBytes }: { onText: (text: string) => void; onBytes: () => void },
): Promise<ModelAnswer> {
  const calls: ToolCall[] = []
  let text = ''
  let isOver = false
  let length = 0

  function take(data: string): void {
    if (data === '[DONE]') return void (isOver = true)
    const { choices, error } = parse(data)
    if (error !== undefined && error !== null) throw new ModelError('failed')
    // One answer was asked for.
    const [choice] = choices
    if (!choice) return
    if (choice.delta?.content) add(choice.delta.content)
    for (const { index, id, function: part } of choice.delta?.tool_calls ?? []) {
      if (index >= mostCalls) throw new ModelError('rubbish')
      const call = (calls[index] ??= { id: '', name: '', input: '' })
      call.id ||= (id ?? '').slice(0, longestName)
      call.name = (call.name + (part?.name ?? '')).slice(0, longestName)
      call.input += part?.arguments ?? ''
      if (call.input.length > longestInput) throw new ModelError('rubbish')
    }
    if (choice.finish_reason) isOver = true
  }
  function add(more: string): void {
    const room = chatTextLimit - cutNote.length - text.length
    const isTooLong = more.length > room
    const piece = isTooLong ? more.slice(0, Math.max(room, 0)) + cutNote : more
    text += piece
    onText(piece)
    if (isTooLong) throw new TooLong()
  }

  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: ({ data }) => take(data) })
  try {
    for await (const bytes of body) {
      length += bytes.length
      if (length > mostBytes) throw new ModelError('rubbish')
      onBytes()
      parser.feed(decoder.decode(bytes, { stream: true }))
    }
  } catch (error) {
    // What came is an answer, and the loop has let go of the rest.
    if (error instanceof TooLong) return { text, calls: [] }
    throw error
  }
  if (!isOver) throw new ModelError('broken')
  // A hole in the list of calls is one that was never told.
  const told = Array.from(calls, (call) => call ?? { id: '', name: '', input: '' }).filter(({ name }) => name !== '')
  if (text === '' && told.length === 0) throw new ModelError('rubbish')
  return { text, calls: told }
}

class TooLong extends Error {}

function parse(data: string): z.output<typeof chunk> {
  let json: unknown
  try {
    json = JSON.parse(data)
  } catch (cause) {
    throw new ModelError('rubbish', { cause })
  }
  const { data: parsed, error } = chunk.safeParse(json)
  if (!parsed) throw new ModelError('rubbish', { cause: error })
  return parsed
}
