/** Live sessions that one may see, and the playback of recordings. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { recordingPieceLimit } from '@sallyport/wire/limits.ts'
import { activeSessions, recordingEvents, recordingLength, recordingStream } from '@sallyport/wire/calls/sessions.ts'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { AppError, missingPermission, notFound } from '../../core/errors.ts'
import { RecordingError } from '../../core/recordings/recording-error.ts'
import type { RecordingReader } from '../../core/recordings/recording-reader.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'
import { on } from '../../core/route.ts'
import type { Client, Route } from '../../core/route.ts'
import type { LiveSessions } from '../../core/sessions/live-sessions.ts'
import { joinModes, toActiveSessionWire } from '../../core/sessions/session-wire.ts'
import { eventsOf, participantsOf } from './playback.ts'

export interface RecordingsDeps {
  cluster: OwnCluster
  sessions: Pick<LiveSessions, 'list'>
  recordings: Pick<Recordings, 'read'>
  audit: Pick<Audit, 'emit'>
}

/** Playing one recording takes many requests; they are one viewing for this long. */
const viewingTime = 10 * 60_000
const viewingsRemembered = 10_000
/** Less than this is not worth compressing. */
const worthCompressing = 1024

export function recordingsRoutes({ cluster, sessions, recordings, audit }: RecordingsDeps): Route[] {
  const viewings = new LRUCache<string, true>({ max: viewingsRemembered, ttl: viewingTime })

  /** The recording, if the caller may play it. What they may not play they are told apart from what there is not. */
  async function open(caller: Caller, sid: string): Promise<RecordingReader> {
    // Who may play nothing learns nothing about what there is.
    if (!caller.access.allows('session', 'read')) throw missingPermission('read', 'session')
    const reader = await recordings.read(sid).catch((error: unknown) => {
      throw refusalOf(error, sid)
    })
    try {
      if (caller.access.allows('session', 'read', { session: { participants: await participantsOf(reader) } })) return reader
      throw missingPermission('read', 'session')
    } catch (error) {
      await reader[Symbol.asyncDispose]()
      throw refusalOf(error, sid)
    }
  }

  /** Nothing is shown before it is written down who saw it. */
  async function noteViewing(caller: Caller, client: Client, sid: string): Promise<void> {
    const key = `${caller.sessionId} ${sid}`
    if (viewings.has(key)) return
    await audit.emit('T2012I', { user: caller.username, sid, 'addr.remote': client.address })
    viewings.set(key, true)
  }

  return [
    on(activeSessions, ({ params: { clusterId }, caller }) => {
      requireOwnCluster(cluster, clusterId)
      const visible = sessions.list().map((session) => ({ session, modes: joinModes(session, caller.username) }))
      const maySee = (participants: string[]): boolean =>
        caller.access.allows('session_tracker', 'list', { session_tracker: { participants } })
      return {
        sessions: visible
          .filter(({ session, modes }) => modes.length > 0 || maySee(session.parties.map(({ user }) => user)))
          .map(({ session, modes }) => toActiveSessionWire(session, clusterId, modes)),
      }
    }),
    on(recordingEvents, async ({ params: { clusterId, sid }, query: { after }, caller, client }) => {
      requireOwnCluster(cluster, clusterId)
      await using reader = await open(caller, sid)
      await noteViewing(caller, client, sid)
      try {
        return { events: await eventsOf(reader, after), startKey: '' }
      } catch (error) {
        throw refusalOf(error, sid)
      }
    }),
    on(recordingStream, async ({ params: { clusterId, sid }, query: { offset, bytes = 0 }, caller, client, reply }) => {
      try {
        requireOwnCluster(cluster, clusterId)
        const reader = await open(caller, sid)
        await noteViewing(caller, client, sid)
        const wanted = bytes > 0 && bytes <= recordingPieceLimit ? bytes : recordingPieceLimit
        const length = Math.max(0, Math.min(wanted, reader.length - offset))
        return sendStream(reply, reader, offset, length)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return reply.code(error.status).type('text/plain; charset=utf-8').send(error.message)
      }
    }),
    on(recordingLength, async ({ params: { clusterId, sid }, caller }) => {
      requireOwnCluster(cluster, clusterId)
      await using reader = await open(caller, sid)
      if (!(await reader.endEvent())) throw notFound(`session "${sid}" has not ended`)
      return { durationMs: reader.durationMs, recordingType: 'ssh' }
    }),
  ]
}

function sendStream(reply: FastifyReply, reader: RecordingReader, offset: number, length: number): FastifyReply {
  const bytes = Readable.from(disposing(reader, offset, length), { objectMode: false })
  reply.type('application/octet-stream').header('vary', 'Accept-Encoding')
  const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(reply.request.headers['accept-encoding'] ?? ''))
  if (!acceptsGzip || length < worthCompressing) return reply.header('content-length', length).send(bytes)
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  // A failure breaks the answer off, which is how the client learns of it: the status has been sent.
  return reply.header('content-encoding', 'gzip').send(pipeline(bytes, gzip, () => undefined))
}

async function* disposing(reader: RecordingReader, offset: number, length: number): AsyncGenerator<Buffer> {
  await using open = reader
  yield* open.stream(offset, length)
}

function refusalOf(error: unknown, sid: string): unknown {
  if (!(error instanceof RecordingError)) return error
  if (error.code === 'missing') return notFound(`unable to find events for session "${sid}"`, { cause: error })
  return new AppError('internal', error.message, { cause: error })
}
