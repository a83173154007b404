/** The parameters of the terminal socket, with the refusals that consoles know. */
import { terminalMaxDimension } from '@sallyport/wire/limits.ts'
import { participantModes } from '@sallyport/wire/entities/session-tracker.ts'
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import { z } from 'zod'
import { badParameter } from '../../core/errors.ts'
import { parseJsonParams } from './json-params.ts'
import type { Return } from '../../core/sessions/people/party.ts'
import type { TerminalSize } from '../../core/sessions/subject.ts'

const text = (limit: number) =>
  z
    .string()
    .max(limit)
    .nullish()
    .transform((value) => value ?? '')
const paramsSchema = z.object({
  server_id: text(1024),
  login: text(255),
  term: z
    .object({ h: z.number(), w: z.number() })
    .nullish()
    .transform((term) => term ?? { h: 0, w: 0 }),
  sid: text(64),
  mode: text(32),
  /** Ours: who comes back to their seat, with what they have seen. */
  resume: z
    .object({ token: z.string().max(64), offset: z.number().int().nonnegative() })
    .nullish()
    .transform((resume) => resume ?? undefined),
})

export type TerminalRequest =
  | { kind: 'join'; sid: string; mode: ParticipantMode | undefined; size: TerminalSize; back: Return | undefined }
  | { kind: 'new'; serverId: string; login: string; size: TerminalSize }

/** Throws bad parameter. */
export function parseTerminalParams(json: string | undefined): TerminalRequest {
  const parsed = paramsSchema.safeParse(parseJsonParams(json))
  if (!parsed.success)
    throw badParameter(`params: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`)
  const { server_id: serverId, login, term, mode, resume: back } = parsed.data
  const sid = parsed.data.sid.toLowerCase()
  if (sid !== '' && !z.uuid().safeParse(sid).success) throw badParameter('sid: invalid session id')
  if (sid === '' && login === '') throw badParameter('login: missing login')
  if (sid === '' && serverId === '') throw badParameter('server: missing server')
  if (!isDimension(term.w) || !isDimension(term.h)) throw badParameter(`term: bad dimensions(${term.w}x${term.h})`)
  const size = { columns: term.w, rows: term.h }
  return sid === '' ? { kind: 'new', serverId, login, size } : { kind: 'join', sid, mode: parseMode(mode), size, back }
}

/** The session that somebody wants to join; undefined also where the parameters are wrong in some way. */
export function sessionOfParams(json: string): string | undefined {
  try {
    const request = parseTerminalParams(json)
    return request.kind === 'join' ? request.sid : undefined
  } catch {
    return undefined // refused where they count
  }
}

const isDimension = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= terminalMaxDimension

function parseMode(mode: string): ParticipantMode | undefined {
  if (mode === '') return undefined
  const known = participantModes.find((candidate) => candidate === mode)
  if (!known) throw badParameter(`mode: must be one of ${participantModes.join(', ')}`)
  return known
}
