/**
 * What generations ask each other, over one socket for each below the data directory that only the owner of the process
 * can open. A connection begins with one line that says what it is for; most are answered with one line. No generation
 * takes another's word for who somebody is: requests are passed on as they came, and judged where the session is.
 */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Duplex } from 'node:stream'
import { z } from 'zod'
import { connectionProblem } from '../errors.ts'
import { readLine } from '../tunnel/lines.ts'
import type { Generation } from './generation.ts'

const id = z.string().max(255)
const question = z.discriminatedUnion('ask', [
  /** Whether it lives there: a session, by its id, or a headless sign-in. */
  z.object({ ask: z.literal('keeps'), id }),
  /** How many sessions of a user run there. */
  z.object({ ask: z.literal('count'), user: id }),
  z.object({ ask: z.literal('state') }),
  /** A stream to a host that is connected there, or to what its agent forwards to; bytes follow the answer. */
  z.object({ ask: z.literal('dial'), hostId: id, target: id.optional(), clientAddress: id.optional() }),
  /** HTTP follows, of somebody who connects from there; there is no answer to the line itself. */
  z.object({ ask: z.literal('serve'), ip: id, port: z.number() }),
])
type Question = z.output<typeof question>
const answers = {
  keeps: z.object({ isKept: z.boolean() }),
  count: z.object({ count: z.number() }),
  state: z.object({ started: z.number(), version: z.string(), sessions: z.number() }),
  dial: z.object({ refusal: z.string().optional() }),
}
export type GenerationState = z.output<typeof answers.state>
export type HostToDial = Omit<Extract<Question, { ask: 'dial' }>, 'ask'>

/** What this generation answers the others. */
export interface NeighbourAnswers {
  keeps(id: string): boolean
  countOf(user: string): number
  state(): GenerationState
  /** Undefined when the host is not connected here. */
  dial(host: HostToDial, signal: AbortSignal): Promise<Duplex> | undefined
  serve(socket: Socket, from: { ip: string; port: number }): void
}

export interface Neighbour {
  readonly number: number
  /** What is written to the connection is HTTP of somebody who connects from there. Rejects with connection problem. */
  serve(from: { ip: string; port: number }): Promise<Socket>
  state(): Promise<GenerationState | undefined>
}

export interface Neighbours {
  all(): readonly Neighbour[]
  /** Where a session runs, or a sign-in waits. Rejects when somebody who could know does not answer. */
  keeperOf(id: string): Promise<Neighbour | undefined>
  countOf(user: string): Promise<number>
  /** Undefined when the host is connected nowhere else. Rejects with connection problem. */
  dial(host: HostToDial, signal: AbortSignal): Promise<Duplex | undefined>
  /** Lets the others ask. Disposing it cuts them off. */
  listen(answers: NeighbourAnswers): Promise<NeighbourListener>
}

export interface NeighbourListener extends AsyncDisposable {
  /** How many connections of others are open. */
  count(): number
}

export interface NeighbourDeps {
  directory: string
  generation: Pick<Generation, 'number' | 'others'>
}

const lineLimit = 4096
const patience = 5000

export function createNeighbours({ directory, generation }: NeighbourDeps): Neighbours {
  const socketOf = (number: number): string => join(directory, `${number}.sock`)

  /** Undefined when that generation is gone. */
  async function open(number: number, asked: Question): Promise<Socket | undefined> {
    const socket = connect({ path: socketOf(number), allowHalfOpen: true })
    try {
      await once(socket, 'connect')
    } catch {
      return undefined // nobody listens any more
    }
    socket.on('error', () => {}) // whoever reads learns of it
    socket.write(`${JSON.stringify(asked)}\n`)
    return socket
  }

  /** Undefined when that generation is gone, or goes at this moment. Rejects when it does not answer. */
  async function ask<T>(number: number, asked: Question, form: z.ZodType<T>): Promise<T | undefined> {
    const socket = await open(number, asked)
    if (!socket) return undefined
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => late.reject(new Error(`generation ${number} of this proxy does not answer`)), patience)
    try {
      const line = await Promise.race([readLine(socket, lineLimit).catch(() => undefined), late.promise])
      return line === undefined ? undefined : form.parse(JSON.parse(line))
    } finally {
      clearTimeout(timer)
      socket.destroy()
    }
  }

  const neighbour = (number: number): Neighbour => ({
    number,
    async serve(from) {
      const socket = await open(number, { ask: 'serve', ...from })
      if (!socket) throw connectionProblem('the session has just ended')
      return socket
    },
    state: () => ask(number, { ask: 'state' }, answers.state),
  })

  return {
    all: () => generation.others().map(neighbour),
    async keeperOf(asked) {
      const found = await Promise.all(
        generation
          .others()
          .map(async (number) => ((await ask(number, { ask: 'keeps', id: asked }, answers.keeps))?.isKept ? number : undefined)),
      )
      const number = found.find((candidate) => candidate !== undefined)
      return number === undefined ? undefined : neighbour(number)
    },
    async countOf(user) {
      const counts = await Promise.all(generation.others().map((number) => ask(number, { ask: 'count', user }, answers.count)))
      return counts.reduce((sum, answer) => sum + (answer?.count ?? 0), 0)
    },
    async dial(host, signal) {
      for (const number of generation.others().toReversed()) {
        const socket = await open(number, { ask: 'dial', ...host })
        if (!socket) continue
        const stop = (): void => void socket.destroy()
        signal.addEventListener('abort', stop, { once: true })
        try {
          const { refusal } = answers.dial.parse(JSON.parse(await readLine(socket, lineLimit)))
          if (refusal === undefined) return socket
          socket.destroy()
          if (refusal !== '') throw connectionProblem(refusal)
        } catch (error) {
          socket.destroy()
          throw signal.aborted ? signal.reason : error
        } finally {
          signal.removeEventListener('abort', stop)
        }
      }
      return undefined
    },
    async listen(own) {
      // The first one finds what a process left that was killed.
      if (generation.number === 0) await rm(directory, { recursive: true, force: true })
      return listen(directory, socketOf(generation.number), own)
    },
  }
}

async function listen(directory: string, path: string, own: NeighbourAnswers): Promise<NeighbourListener> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await rm(path, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {}) // whoever reads learns of it
    // Whoever asked something that cannot be answered notices.
    answer(socket, own).catch(() => socket.destroy())
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o600)
  return {
    count: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(socket: Socket, own: NeighbourAnswers): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), patience)
  const line = await readLine(socket, lineLimit).finally(() => clearTimeout(timer))
  const asked = question.parse(JSON.parse(line))
  const say = (value: object): void => void socket.end(`${JSON.stringify(value)}\n`)
  switch (asked.ask) {
    case 'keeps':
      return say({ isKept: own.keeps(asked.id) } satisfies z.input<typeof answers.keeps>)
    case 'count':
      return say({ count: own.countOf(asked.user) } satisfies z.input<typeof answers.count>)
    case 'state':
      return say(own.state())
    case 'serve':
      return own.serve(socket, asked)
    case 'dial':
      return dialFor(socket, asked, own)
  }
}

/** An empty refusal: the host is not here. */
async function dialFor(socket: Socket, host: HostToDial, own: NeighbourAnswers): Promise<void> {
  const gone = new AbortController()
  const leave = (): void => gone.abort(new Error('the other generation has left'))
  socket.once('close', leave)
  const say = (value: z.input<typeof answers.dial>): string => `${JSON.stringify(value)}\n`
  try {
    const stream = await own.dial(host, gone.signal)
    if (!stream) return void socket.end(say({ refusal: '' }))
    socket.write(say({}))
    // Each way ends by itself; what breaks one breaks the other.
    void Promise.all([pipeline(socket, stream), pipeline(stream, socket)]).catch(() => {
      socket.destroy()
      stream.destroy()
    })
  } catch (error) {
    socket.end(say({ refusal: error instanceof Error ? error.message.slice(0, 1000) : 'the host does not answer' }))
  } finally {
    socket.off('close', leave)
  }
}
