/** What the library and its thread say to each other. */
import { z } from 'zod'

export const workerSettings = z.object({
  /** Of the recordings. */
  directory: z.string(),
  /** With which key frames are authenticated. */
  key: z.instanceof(Uint8Array),
  index: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sqlite'), file: z.string() }),
    z.object({ kind: z.literal('postgres'), url: z.string() }),
  ]),
  /** Whether it works on what is over, for which nobody waits. */
  isPatient: z.boolean(),
})
export type WorkerSettings = z.output<typeof workerSettings>

const sid = z.string()
const number = z.number().optional()
const job = z.discriminatedUnion('do', [
  z.object({ do: z.literal('work'), sid }),
  z.object({
    do: z.literal('find'),
    query: z.object({
      words: z.array(z.string()).readonly(),
      lastWord: z.enum(['whole', 'begun']),
      from: number,
      to: number,
      user: z.string().optional(),
      sid: sid.optional(),
      before: number,
      limit: z.number(),
      perRecording: z.number(),
    }),
  }),
  z.object({ do: z.literal('missing'), sids: z.array(sid) }),
  z.object({ do: z.literal('remove'), sid }),
])
export type Job = z.output<typeof job>
/** In place of a job: the thread is to end, whatever it does. */
export const stop = 'stop'
export const jobForm = z.object({ id: z.number(), job })

export const answerForm = z.object({ id: z.number(), value: z.unknown().optional(), error: z.string().optional() })
export type Answer = z.output<typeof answerForm>

export const linesFoundForm = z.object({
  found: z.array(
    z.object({
      recording: z.object({
        sid: z.string(),
        start: z.number(),
        people: z.array(z.string()),
        event: z.record(z.string(), z.unknown()),
      }),
      newest: z.number(),
      lines: z.array(z.object({ at: z.number(), text: z.string(), from: z.number(), to: z.number() })),
    }),
  ),
  next: z.number().optional(),
})
export const sidsForm = z.array(z.string())
