/** The audit event: a flat JSON object on the wire, its display form, and the mechanism of the catalogue. */
import * as z from 'zod/mini'
import { auditQueryTextLength } from '../limits.ts'

export const auditEventWire = z.looseObject({
  event: z._default(z.string(), ''),
  code: z.optional(z.string()),
  uid: z.optional(z.string()),
  time: z._default(z.string(), ''),
  ei: z.optional(z.number()),
  cluster_name: z.optional(z.string()),
  /** Old servers send an object here for device events; it is flattened. */
  user: z.catch(
    z.optional(
      z.union([
        z.string(),
        z.pipe(
          z.looseObject({ user: z.string() }),
          z.transform((value) => value.user),
        ),
      ]),
    ),
    undefined,
  ),
})
export type AuditEventWire = z.output<typeof auditEventWire>

export type Severity = 'info' | 'warning' | 'error'

/** Groups of the type filter. */
export const auditGroups = [
  'Access requests',
  'Sessions',
  'Users and sign-in',
  'Files',
  'Database',
  'Applications',
  'Kubernetes',
  'Desktop',
  'Admin changes',
  'Certificates',
  'Machines and sync',
  'Billing',
  'Other',
] as const
export type AuditGroup = (typeof auditGroups)[number]

/** Raw fields as a message sees them: absent ones read as ''. */
export type Raw = (name: string) => string

export interface AuditDefinition {
  /** Event type string: `user.login`. */
  type: string
  /** Short title shown as the event's type: "Local sign-in". */
  title: string
  group: AuditGroup
  /** Raw fields that the server sets besides the common ones. */
  fields: readonly string[]
  message: (raw: Raw, event: AuditEventWire) => string
}

/** One event code. Severity is the code's last letter (I, W, E), so it is not stored. */
export const defineAudit = <const T extends Readonly<Record<string, AuditDefinition>>>(definitions: T): T => definitions

export function severityOf(code: string): Severity {
  const letter = code.at(-1)
  return letter === 'E' ? 'error' : letter === 'W' ? 'warning' : 'info'
}

/** Query text as messages show it: at most 80 characters, the last three of a cut one being dots. */
export const shortenQuery = (query: string): string =>
  query.length > auditQueryTextLength ? `${query.slice(0, auditQueryTextLength - 3)}...` : query

/**
 * A definition whose message is a sentence with its fields in it: `{user} left {db_name}`. `{a|b}` is the first of them
 * that is not empty, `{query!}` is cut as query text is. What a field holds is never read as a sentence again.
 */
export function auditSentence(group: AuditGroup, type: string, title: string, sentence: string): AuditDefinition {
  const fields = [...sentence.matchAll(/\{([^}!]+)!?\}/g)].flatMap(([, names = '']) => names.split('|')).filter((name) => name !== 'user')
  return {
    type,
    title,
    group,
    fields: [...new Set(fields)],
    message: (raw) =>
      sentence.replace(/\{([^}!]+)(!?)\}/g, (_, names: string, cut: string) => {
        const value =
          names
            .split('|')
            .map(raw)
            .find((text) => text !== '') ?? ''
        return cut === '' ? value : shortenQuery(value)
      }),
  }
}

/** Reads raw fields for messages: strings as they are, numbers and booleans as text, lists joined, all else ''. */
export const rawReader =
  (event: AuditEventWire): Raw =>
  (name) => {
    const value = event[name]
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join(', ')
    return ''
  }
