/** Reads what a call was sent: path parameters, query and JSON body, each checked by the call's declaration. */
import { z } from 'zod'
import type { Call } from '@sallyport/wire/call.ts'
import { withoutNulls } from '@sallyport/wire/without-nulls.ts'
import { badParameter } from '../core/errors.ts'

// The contract's schemas are built without texts of their own language, to stay small in the browser.
z.config(z.locales.en())

/** The body as JSON; undefined when none was sent or the call takes none. */
export function readJson(call: Call, contentType: string | undefined, raw: unknown): unknown {
  if (!call.hasBody || !(raw instanceof Uint8Array) || raw.length === 0) return undefined
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') throw badParameter('invalid request')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))
  } catch (error) {
    throw badParameter(`request: ${error instanceof Error ? error.message : 'no JSON'}`)
  }
}

/** A repeated query field counts by its first value. */
export const firstValues = (query: unknown): Record<string, unknown> =>
  typeof query === 'object' && query !== null
    ? Object.fromEntries(Object.entries(query).map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? value[0] : value]))
    : {}

/** The value as the schema wants it. Throws the 400 whose text names the field and what is wrong with it. */
export function parseInput<S extends z.core.$ZodType>(schema: S, value: unknown): z.output<S> {
  const first = z.safeParse(schema, value)
  if (first.success) return first.data
  const parsed = z.safeParse(schema, withoutNulls(value, first.error.issues))
  if (parsed.success) return parsed.data
  throw badParameter(parsed.error.issues.map(describe)[0] ?? 'invalid request')
}

// Texts that a schema states itself stand alone; the library's own need the name of the field.
function describe(issue: z.core.$ZodIssue): string {
  const plain = /^(Invalid|Too|Unrecognized|Expected)/.test(issue.message)
  if (issue.path.length === 0) return plain ? `request: ${lowerFirst(issue.message)}` : issue.message
  return plain ? `${issue.path.join('.')}: ${lowerFirst(issue.message)}` : issue.message
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/**
 * Other consoles may spell the case of a field differently: a first-level field that matches a declared one except
 * for case is taken for it.
 */
export function matchFields(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = schema instanceof z.core.$ZodDefault ? schema._zod.def.innerType : schema
  if (!(inner instanceof z.core.$ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const declared = new Map(Object.keys(inner._zod.def.shape).map((name) => [name.toLowerCase(), name]))
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const known = declared.get(name.toLowerCase()) ?? name
    return name === known || !(known in value) ? [[known, field]] : []
  })
  // Its own fields only: a name such as __proto__ means nothing.
  return Object.fromEntries(fields)
}
