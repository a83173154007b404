/** What of recordings is ours: entering them anywhere, searching all of them, taking them away. */
import { Readable } from 'node:stream'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { auditEventWire } from '@sallyport/wire/audit/event.ts'
import * as calls from '@sallyport/wire/calls/recordings.ts'
import * as z from 'zod/mini'
import type { AccessChecker } from '../../core/access/checker.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { badParameter, notFound } from '../../core/errors.ts'
import { exportRecording } from '../../core/recordings/export-recording.ts'
import type { ExportFormat } from '../../core/recordings/export-recording.ts'
import type { Library } from '../../core/recordings/library.ts'
import type { RecordingReader } from '../../core/recordings/recording-reader.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'
import type { SearchPlace } from '../../core/recordings/search/search-lines.ts'
import type { IndexedRecording } from '../../core/recordings/search/text-index.ts'
import { readTextQuery } from '../../core/recordings/search/text-query.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { refusalOf } from './viewing.ts'
import type { Viewing } from './viewing.ts'

export interface LibraryRoutesDeps {
  cluster: OwnCluster
  recordings: Pick<Recordings, 'sealState'>
  library: Pick<Library, 'outline' | 'stretchAt' | 'search'>
  viewing: Viewing
}

/** A search over everything shows a few lines of each recording; within one it shows them all. */
const linesPerRecording = 5
const noKeyFrames = (sid: string) => notFound(`there are no key frames of session "${sid}"; play it from the beginning`)
const exported: Record<ExportFormat, { type: string; ending: string }> = {
  cast: { type: 'application/x-asciicast', ending: 'cast' },
  text: { type: 'text/plain; charset=utf-8', ending: 'txt' },
}

export function libraryRoutes({ cluster, recordings, library, viewing: { open, noteViewing } }: LibraryRoutesDeps): Route[] {
  return [
    on(calls.outline, async ({ params: { clusterId, sid }, caller, client }) => {
      requireOwnCluster(cluster, clusterId)
      await using reader = await open(caller, sid)
      const [outline, seal] = await Promise.all([library.outline(reader), recordings.sealState(reader)]).catch((error: unknown) => {
        throw refusalOf(error, sid)
      })
      if (!outline) throw noKeyFrames(sid)
      await noteViewing(caller, client, sid)
      const { zero, duration, events, stretches, ...rest } = outline
      return {
        ...rest,
        zero: new Date(zero).toISOString(),
        durationMs: duration,
        events: eventsOf(events),
        stretches: stretches.map(({ at, offset, hasScreen }) => ({ at, offset, hasScreen })),
        seal,
      }
    }),
    on(calls.keyframe, async ({ params: { clusterId, sid }, query: { at }, caller, client }) => {
      requireOwnCluster(cluster, clusterId)
      await using reader = await open(caller, sid)
      const found = await library.stretchAt(reader, at).catch((error: unknown) => {
        throw refusalOf(error, sid)
      })
      if (!found) throw noKeyFrames(sid)
      await noteViewing(caller, client, sid)
      return { number: found.number, ...found.stretch }
    }),
    on(calls.exportRecording, async ({ params: { clusterId, sid }, query: { format }, caller, client, reply }) => {
      requireOwnCluster(cluster, clusterId)
      const reader = await open(caller, sid)
      try {
        await noteViewing(caller, client, sid)
      } catch (error) {
        await reader[Symbol.asyncDispose]()
        throw error
      }
      const { type, ending } = exported[format]
      return reply
        .type(type)
        .header('content-disposition', `attachment; filename="${sid}.${ending}"`)
        .send(Readable.from(disposing(reader, format), { objectMode: false }))
    }),
    on(calls.search, async ({ params: { clusterId }, query, caller, client }) => {
      requireOwnCluster(cluster, clusterId)
      const text = readTextQuery(query.query)
      if (!text) throw badParameter('query: must have a letter or a digit')
      const found = await library.search({
        query: text,
        from: query.from?.getTime(),
        to: query.to?.getTime(),
        user: query.user || undefined,
        sid: query.sid,
        place: placeOf(query.startKey),
        limit: query.limit,
        perRecording: query.sid === undefined ? linesPerRecording : query.limit,
        accepts: (recording) => mayPlay(caller.access, recording),
      })
      // A line of a recording is a look into it.
      await Promise.all(found.recordings.map(({ sid }) => noteViewing(caller, client, sid)))
      return {
        hits: found.hits,
        recordings: eventsOf(found.recordings.map(({ event }) => event)),
        startKey: found.next === undefined ? '' : `${found.next.lastWord}.${found.next.before ?? ''}`,
      }
    }),
  ]
}

/** Found and shown are two rights; roles may give either only to whoever took part. */
const mayPlay = (access: AccessChecker, { event, people }: IndexedRecording): boolean =>
  access.allows('session', 'list', { session: { ...event, participants: people } }) &&
  access.allows('session', 'read', { session: { participants: people } })

const eventsOf = (events: readonly unknown[]): AuditEventWire[] => events.map((event) => z.parse(auditEventWire, event))

function placeOf(startKey: string | undefined): SearchPlace | undefined {
  if (startKey === undefined || startKey === '') return undefined
  const [, lastWord, before] = /^(whole|begun)\.(\d{0,15})$/.exec(startKey) ?? []
  if (lastWord !== 'whole' && lastWord !== 'begun') throw badParameter('startKey: begin again without it')
  return { lastWord, before: before ? Number(before) : undefined }
}

async function* disposing(reader: RecordingReader, format: ExportFormat): AsyncGenerator<string> {
  await using open = reader
  yield* exportRecording(open, format)
}
