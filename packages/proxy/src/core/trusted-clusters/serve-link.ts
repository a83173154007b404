/** At the leaf: what its root may ask over the link, HTTP/2 in the direction in which the leaf dialled. */
import { performServerHandshake } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import { linkHeartbeatEvery, linkPaths, proxyTarget } from '@sallyport/wire/cluster-link.ts'
import type { LeafState } from '@sallyport/wire/cluster-link.ts'
import { agentPaths, clientAddressHeader, connectionWindow, frameSize, refusalHeader, streamWindow } from '@sallyport/wire/tunnel.ts'
import type { Log } from '../log.ts'

export interface ServeLinkOptions {
  /** Takes a connection of HTTP/1.1 that comes from the root, for somebody at that address. */
  readonly accept: (stream: Duplex, clientAddress: string) => void
  /** A sign-in at the root has ended. */
  readonly onOver: (login: string) => void
  /** The root asks for a further connection. */
  readonly onAgain: () => void
  readonly state: () => LeafState
  readonly log: Log
  /** Milliseconds between two pings. */
  readonly pingEvery: number
}

export interface ServedLink {
  /** Resolves with the reason when it is over. */
  readonly closed: Promise<string>
  /** At once, with all that runs through it. */
  close(reason: string): void
  /** Once nothing runs through it. */
  closeWhenIdle(): void
}

const missLimit = 2
const maxStreams = 5000
const headerLimit = 16 * 1024
/** Megabytes; data that waits to be sent counts. */
const memoryLimit = 64
const loginLength = 64

export function serveLink(stream: Duplex, options: ServeLinkOptions): ServedLink {
  const { promise: closed, resolve: settle } = Promise.withResolvers<string>()
  const settings = {
    initialWindowSize: streamWindow,
    maxFrameSize: frameSize,
    maxHeaderListSize: headerLimit,
    maxConcurrentStreams: maxStreams,
  }
  const session = performServerHandshake(stream as never, { settings, maxSessionMemory: memoryLimit })
  session.setLocalWindowSize(connectionWindow)
  let reason = 'the root closed the connection'
  const close = (because: string): void => {
    reason = because
    session.destroy()
    stream.destroy()
  }
  session.on('error', (error: Error) => close(error.message))
  let visits = 0
  let isLeaving = false
  const closeIfIdle = (): void => {
    if (isLeaving && visits === 0) close('nothing runs through it any more')
  }
  session.on('stream', (incoming, headers) => {
    incoming.on('error', (error) => options.log.debug({ err: error }, 'a stream of a link broke'))
    if (headers[':method'] === 'CONNECT') {
      visits += 1
      incoming.once('close', () => {
        visits -= 1
        closeIfIdle()
      })
    }
    answer(incoming, headers, options)
  })
  const pings = startPings(session, options.pingEvery, () => close('the root does not answer'))
  session.once('close', () => {
    clearInterval(pings)
    stream.destroy()
    settle(reason)
  })
  return {
    closed,
    close,
    closeWhenIdle() {
      isLeaving = true
      closeIfIdle()
    },
  }
}

function startPings(session: ServerHttp2Session, every: number, onSilence: () => void): NodeJS.Timeout {
  let unanswered = 0
  return setInterval(() => {
    if (unanswered >= missLimit) return onSilence()
    unanswered += 1
    session.ping(() => {
      unanswered = 0
    })
  }, every).unref()
}

function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, options: ServeLinkOptions): void {
  if (stream.destroyed) return
  const { ':method': method, ':path': path, ':authority': target, [clientAddressHeader]: address } = headers
  if (method === 'CONNECT' && target === proxyTarget) {
    stream.respond({ ':status': 200 })
    return options.accept(stream, typeof address === 'string' ? address : '')
  }
  if (method === 'GET' && path === agentPaths.heartbeats) return sendHeartbeats(stream, options)
  if (method === 'POST' && path === linkPaths.over) return void takeOver(stream, options)
  if (method === 'POST' && path === agentPaths.again) {
    stream.respond({ ':status': 200 }, { endStream: true })
    return options.onAgain()
  }
  stream.respond({ ':status': 404, [refusalHeader]: 'this cluster does not know that request' }, { endStream: true })
}

function sendHeartbeats(stream: ServerHttp2Stream, { state }: ServeLinkOptions): void {
  stream.respond({ ':status': 200 })
  const beat = (): void => {
    // A root that does not read them misses some; the next one says it all again.
    if (!stream.writableNeedDrain && !stream.destroyed) stream.write(`${JSON.stringify(state())}\n`)
  }
  beat()
  const timer = setInterval(beat, linkHeartbeatEvery).unref()
  stream.once('close', () => clearInterval(timer))
}

async function takeOver(stream: ServerHttp2Stream, { onOver, log }: ServeLinkOptions): Promise<void> {
  try {
    let login = ''
    for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
      login += piece
      if (login.length > loginLength) throw new Error('that names no sign-in')
    }
    onOver(login)
    if (!stream.destroyed) stream.respond({ ':status': 200 }, { endStream: true })
  } catch (error) {
    log.debug({ err: error }, 'the end of a sign-in could not be taken')
    stream.destroy()
  }
}
