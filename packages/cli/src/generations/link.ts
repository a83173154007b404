/** What the first process and each generation say to each other. The first one is a generation too: it talks to itself the same way. */
import type { ChildProcess, SendHandle } from 'node:child_process'
import { z } from 'zod'

const change = z.object({ kind: z.string(), name: z.string(), operation: z.enum(['put', 'delete']) })
const news = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('change'), change }),
  z.object({ kind: z.literal('recorded'), sid: z.string() }),
])

/** Of a generation. A restart is asked for with a number that comes back with the outcome. */
const fromGeneration = z.discriminatedUnion('say', [
  z.object({ say: z.literal('want-ports') }),
  z.object({ say: z.literal('port'), name: z.string() }),
  z.object({ say: z.literal('all-ports') }),
  z.object({ say: z.literal('ready') }),
  z.object({ say: z.literal('failed'), reason: z.string() }),
  z.object({ say: z.literal('stepped-down') }),
  z.object({ say: z.literal('done') }),
  z.object({ say: z.literal('restart'), id: z.number() }),
  z.object({ say: z.literal('news'), news }),
])
export type FromGeneration = z.output<typeof fromGeneration>

/** Of the first process. */
const toGeneration = z.discriminatedUnion('say', [
  z.object({ say: z.literal('others'), numbers: z.array(z.number()) }),
  z.object({ say: z.literal('pass-ports') }),
  z.object({ say: z.literal('port'), name: z.string() }),
  z.object({ say: z.literal('all-ports') }),
  z.object({ say: z.literal('retire') }),
  z.object({ say: z.literal('lead') }),
  z.object({ say: z.literal('restarted'), id: z.number(), generation: z.number() }),
  z.object({ say: z.literal('not-restarted'), id: z.number(), reason: z.string() }),
  z.object({ say: z.literal('news'), news }),
])
export type ToGeneration = z.output<typeof toGeneration>

/** With each message there may be a listening socket. */
export interface Link<Out, In> {
  send(message: Out, handle?: unknown, onSent?: () => void): void
  /** There is one listener. */
  listen(listener: (message: In, handle: unknown) => void): void
}
export type GenerationLink = Link<FromGeneration, ToGeneration>
export type RootLink = Link<ToGeneration, FromGeneration>

/** Both ends for a generation in this process. */
export function linkWithin(): { generation: GenerationLink; root: RootLink } {
  let toRoot: (message: FromGeneration, handle: unknown) => void = () => undefined
  let toOwn: (message: ToGeneration, handle: unknown) => void = () => undefined
  return {
    generation: {
      send: (message, handle) => queueMicrotask(() => toRoot(message, handle)),
      listen: (listener) => void (toOwn = listener),
    },
    root: {
      send: (message, handle) => queueMicrotask(() => toOwn(message, handle)),
      listen: (listener) => void (toRoot = listener),
    },
  }
}

export function linkToChild(child: ChildProcess): RootLink {
  return {
    send(message, handle, onSent = () => undefined) {
      // One that has just ended is noticed by its exit.
      if (child.connected) child.send(message, handle as SendHandle, onSent)
      else onSent()
    },
    listen: (listener) => void child.on('message', (message, handle) => listener(fromGeneration.parse(message), handle)),
  }
}

export function linkToParent(): GenerationLink {
  return {
    send(message, handle) {
      // Without a parent this process ends.
      if (process.connected) process.send?.(message, handle as SendHandle, undefined, () => undefined)
    },
    listen: (listener) => void process.on('message', (message, handle) => listener(toGeneration.parse(message), handle)),
  }
}
