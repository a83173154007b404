/** The playback of recordings. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { RecordingType } from '@sallyport/wire/entities/recording.ts'
import { recordingPieceLimit } from '@sallyport/wire/limits.ts'
import { recordingEvents, recordingLength, recordingStream } from '@sallyport/wire/calls/playback.ts'
import type { FastifyReply } from 'fastify'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { AppError, notFound } from '../../core/errors.ts'
import type { Library } from '../../core/recordings/library.ts'
import type { RecordingReader } from '../../core/recordings/recording-reader.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'
import type { RecordedEvent } from '../../core/recordings/records.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { libraryRoutes } from './library-routes.ts'
import { eventsOf } from './playback.ts'
import { refusalOf } from './viewing.ts'
import type { Viewing } from './viewing.ts'

export interface RecordingsDeps {
  cluster: OwnCluster
  recordings: Pick<Recordings, 'sealState'>
  library: Pick<Library, 'outline' | 'stretchAt' | 'search'>
  viewing: Viewing
}

/** Less than this is not worth compressing. */
const worthCompressing = 1024

export function recordingsRoutes({ cluster, recordings, library, viewing }: RecordingsDeps): Route[] {
  const { open, noteViewing } = viewing
  return [
    ...libraryRoutes({ cluster, recordings, library, viewing }),
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
      const end = await reader.endEvent()
      if (!end) throw notFound(`session "${sid}" has not ended`)
      return { durationMs: reader.durationMs, recordingType: typeOf(end) }
    }),
  ]
}

/** As players know it. */
const typeOf = (end: RecordedEvent): RecordingType =>
  end.event === 'windows.desktop.session.end' ? 'desktop' : typeof end['kubernetes_cluster'] === 'string' ? 'k8s' : 'ssh'

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
