/** Recordings over the control socket: what `sallyport recordings` asks for. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { adminCalls, adminExportPath } from '@sallyport/wire/admin.ts'
import { exportFormats } from '@sallyport/wire/calls/recordings.ts'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { badParameter, notFound } from '../core/errors.ts'
import { exportRecording } from '../core/recordings/export-recording.ts'
import type { RecordingReader } from '../core/recordings/recording-reader.ts'
import { RecordingError } from '../core/recordings/recording-error.ts'
import type { OnAdminCall } from './admin-resources.ts'

export type AdminRecordingsContext = Pick<Context, 'recordings' | 'audit'>

const exportParams = z.object({ sid: z.uuid(), format: z.enum(exportFormats) })

export function serveRecordings(app: FastifyInstance, on: OnAdminCall, { recordings, audit }: AdminRecordingsContext, by: string): void {
  const open = (sid: string): Promise<RecordingReader> =>
    recordings.read(sid).catch((error: unknown) => {
      if (error instanceof RecordingError) throw error.code === 'missing' ? notFound(error.message) : badParameter(error.message)
      throw error
    })
  on(adminCalls.listRecordings, async ({ limit }) => {
    const found = []
    const sids = await recordings.sealed()
    for (const sid of sids) {
      await using reader = await recordings.read(sid).catch(() => undefined) // a damaged one is for verify to tell of
      if (reader) found.push({ sid, start: reader.start, durationMs: reader.durationMs, bytes: reader.facts.bytes })
    }
    const newest = found.toSorted((a, b) => b.start - a.start).slice(0, limit)
    const rows = newest.map(async ({ sid, start, ...rest }) => {
      await using reader = await open(sid)
      const { user, server_hostname: hostname } = await reader.startEvent()
      return { sid, user: String(user ?? ''), hostname: String(hostname ?? ''), start: new Date(start).toISOString(), ...rest }
    })
    return { recordings: await Promise.all(rows), more: found.length - newest.length, sids }
  })
  on(adminCalls.verifyRecording, async ({ sid }) => {
    try {
      return { state: await recordings.verify(sid) }
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error
      if (error.code === 'missing') throw notFound(error.message)
      return { state: 'damaged' as const, problem: error.message }
    }
  })
  app.get(decodeURIComponent(adminExportPath(':sid', 'cast')).replace('cast', ':format'), async (request, reply) => {
    const parsed = exportParams.safeParse(request.params)
    if (!parsed.success) throw badParameter('name a session and the format cast or text')
    const { sid, format } = parsed.data
    const reader = await open(sid)
    // Nothing leaves before it is written down who took it.
    await audit.emit('T2012I', { user: by, sid }).catch(async (error: unknown) => {
      await reader[Symbol.asyncDispose]()
      throw error
    })
    const content = async function* () {
      await using opened = reader
      yield* exportRecording(opened, format)
    }
    return reply.type('application/octet-stream').send(Readable.from(content(), { objectMode: false }))
  })
}
