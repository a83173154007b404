/**
 * The first process of a proxy: parent of every later generation, so that its process id stays what it is. It hands
 * sockets and news from one to the other, ends them all with itself, and ends with the one that serves.
 */
import type { ChildProcess } from 'node:child_process'
import type { Log } from '@sallyport/proxy/core/log.ts'
import { closeHandle } from '@sallyport/proxy/ports.ts'
import { linkToChild } from './link.ts'
import type { FromGeneration, RootLink, ToGeneration } from './link.ts'

export interface RootDeps {
  /** The link of the generation in this process. */
  own: RootLink
  /** Starts a process that serves as that generation. */
  spawn: (generation: number) => ChildProcess
  log: Log
  /** Milliseconds in which a new generation has to serve. */
  within: number
}

export interface Root {
  /** Resolves when the next generation serves; rejects with the reason why it does not. */
  restart(): Promise<number>
  /** Resolves with the exit code when the generation that serves has ended by itself. */
  readonly over: Promise<number>
  /** Ends every other process. Resolves when they have ended. */
  stop(): Promise<void>
}

interface Member {
  readonly link: RootLink
  readonly child: ChildProcess | undefined
}

export const underWay = 'a restart is under way already; wait for its outcome'

export function createRoot({ own, spawn, log, within }: RootDeps): Root {
  const members = new Map<number, Member>([[0, { link: own, child: undefined }]])
  const over = Promise.withResolvers<number>()
  let last = 0
  let serving = 0
  let isStopping = false
  /** The generation that is about to serve. */
  let next: { number: number; settle: PromiseWithResolvers<void> } | undefined
  /** What only one may do is still done by this one. */
  let leading = 0

  const send = (number: number, message: ToGeneration): void => members.get(number)?.link.send(message)
  function tellOthers(): void {
    for (const number of members.keys()) send(number, { say: 'others', numbers: [...members.keys()].filter((other) => other !== number) })
  }
  function remove(number: number): void {
    members.delete(number)
    tellOthers()
  }

  async function restart(): Promise<number> {
    if (next) throw new Error(underWay)
    if (isStopping) throw new Error('the proxy is stopping')
    last += 1
    const number = last
    const settle = Promise.withResolvers<void>()
    next = { number, settle }
    const child = spawn(number)
    const timer = setTimeout(() => settle.reject(new Error(`it did not serve within ${Math.round(within / 1000)} seconds`)), within)
    add(number, child)
    try {
      await settle.promise
    } catch (error) {
      if (members.has(number)) remove(number)
      child.kill('SIGKILL')
      throw error
    } finally {
      clearTimeout(timer)
      next = undefined
    }
    const before = serving
    serving = number
    log.info({ generation: number, process: child.pid }, 'a new generation serves')
    // Whoever asked for it hears of it first.
    setImmediate(() => send(before, { say: 'retire' }))
    return number
  }

  function add(number: number, child: ChildProcess): void {
    const link = linkToChild(child)
    members.set(number, { link, child })
    link.listen((message, handle) => hear(number, message, handle))
    child.once('error', (error) => onEnd(number, `it could not be started: ${error.message}`, 1))
    child.once('exit', (code, signal) => onEnd(number, `it ended with ${signal ?? code ?? 1}; the log says why`, code ?? 1))
    tellOthers()
  }

  function onEnd(number: number, reason: string, code: number): void {
    if (!members.has(number)) return
    remove(number)
    if (next?.number === number) next.settle.reject(new Error(reason))
    else if (number === serving) over.resolve(code)
    else {
      log.info({ generation: number }, 'a retired generation has ended')
      // It may have ended before it stepped down.
      if (number === leading) letLead()
    }
  }

  function letLead(): void {
    leading = serving
    send(serving, { say: 'lead' })
  }

  function hear(number: number, message: FromGeneration, handle: unknown): void {
    switch (message.say) {
      case 'want-ports':
        return send(serving, { say: 'pass-ports' })
      case 'port':
        return passPort(number, message, handle)
      case 'all-ports':
        if (next) send(next.number, message)
        return
      case 'ready':
        return next?.settle.resolve()
      case 'failed':
        return next?.settle.reject(new Error(message.reason))
      case 'stepped-down':
        return letLead()
      case 'done':
        if (!members.get(number)?.child) remove(number)
        return
      case 'restart':
        return void answerRestart(number, message.id)
      case 'news':
        for (const other of members.keys()) if (other !== number) send(other, message)
    }
  }

  /** The own generation's sockets are in use here; those of others are only on their way. */
  function passPort(from: number, message: Extract<ToGeneration, { say: 'port' }>, handle: unknown): void {
    const close = (): void => {
      if (members.get(from)?.child) closeHandle(handle)
    }
    const link = next && members.get(next.number)?.link
    if (link) link.send(message, handle, close)
    else close()
  }

  async function answerRestart(number: number, id: number): Promise<void> {
    try {
      const generation = await restart()
      send(number, { say: 'restarted', id, generation })
    } catch (error) {
      send(number, { say: 'not-restarted', id, reason: error instanceof Error ? error.message : String(error) })
    }
  }

  own.listen((message, handle) => hear(0, message, handle))
  return {
    restart,
    over: over.promise,
    async stop() {
      isStopping = true
      const children = [...members.values()].flatMap(({ child }) => (child ? [child] : []))
      for (const child of children) child.kill('SIGTERM')
      await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
    },
  }
}
