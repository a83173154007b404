/** Who may look at a recording, and that it is written down. */
import { LRUCache } from 'lru-cache'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError, missingPermission, notFound } from '../../core/errors.ts'
import { participantsOf, peopleSoFar } from '../../core/recordings/participants.ts'
import type { PeopleSoFar } from '../../core/recordings/participants.ts'
import { RecordingError } from '../../core/recordings/recording-error.ts'
import type { RecordingReader } from '../../core/recordings/recording-reader.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'
import type { Client } from '../../core/route.ts'

/** Playing one recording takes many requests; they are one viewing for this long. */
const viewingTime = 10 * 60_000
const viewingsRemembered = 10_000
/** Recordings whose participants are known: each request asks for them. */
const participantsRemembered = 500

export interface Viewing {
  /** The recording, if the caller may play it. What they may not play they are told apart from what there is not. */
  open(caller: Caller, sid: string): Promise<RecordingReader>
  /** Nothing is shown before it is written down who saw it. */
  noteViewing(caller: Caller, client: Client, sid: string): Promise<void>
}

export function createViewing({ recordings, audit }: { recordings: Pick<Recordings, 'read'>; audit: Pick<Audit, 'emit'> }): Viewing {
  const viewings = new LRUCache<string, true>({ max: viewingsRemembered, ttl: viewingTime })
  const known = new LRUCache<string, string[]>({ max: participantsRemembered })
  const running = new LRUCache<string, PeopleSoFar>({ max: participantsRemembered })
  async function participants(reader: RecordingReader): Promise<string[]> {
    if (!reader.complete) {
      const soFar = await peopleSoFar(reader, running.get(reader.sid))
      running.set(reader.sid, soFar)
      return soFar.people
    }
    // The digest stands for the very bytes that they were read from.
    const found = known.get(reader.digest) ?? (await participantsOf(reader))
    known.set(reader.digest, found)
    return found
  }
  return {
    async open(caller, sid) {
      // Who may play nothing learns nothing about what there is.
      if (!caller.access.allows('session', 'read')) throw missingPermission('read', 'session')
      const reader = await recordings.read(sid).catch((error: unknown) => {
        throw refusalOf(error, sid)
      })
      try {
        if (caller.access.allows('session', 'read', { session: { participants: await participants(reader) } })) return reader
        throw missingPermission('read', 'session')
      } catch (error) {
        await reader[Symbol.asyncDispose]()
        throw refusalOf(error, sid)
      }
    },
    async noteViewing(caller, client, sid) {
      const key = `${caller.sessionId} ${sid}`
      if (viewings.has(key)) return
      await audit.emit('T2012I', { user: caller.username, sid, 'addr.remote': client.address })
      viewings.set(key, true)
    },
  }
}

export function refusalOf(error: unknown, sid: string): unknown {
  if (!(error instanceof RecordingError)) return error
  if (error.code === 'missing') return notFound(`unable to find events for session "${sid}"`, { cause: error })
  return new AppError(error.code === 'unreachable' ? 'connection_problem' : 'internal', error.message, { cause: error })
}
