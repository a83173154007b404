/** The audit log and the list of session recordings. */
import * as z from 'zod/mini'
import { auditEventWire } from '../audit/event.ts'
import { call, listOf, rule } from '../call.ts'
import { auditDefaultLimit, auditMaxLimit } from '../limits.ts'
import { clusterParams } from './clusters.ts'

/** With its zone: a time without one would mean another moment at each proxy. */
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
/** Engines take the 30th of February for a day of March. */
const isDay = (day: string): boolean => new Date(day).toISOString().startsWith(day)

const time = (name: string) =>
  z.pipe(
    z.optional(z.string()),
    z.transform((value, context) => {
      if (value === undefined || value === '') return undefined
      const date = new Date(value)
      if (rfc3339.test(value) && !Number.isNaN(date.getTime()) && isDay(value.slice(0, 10))) return date
      context.issues.push({ code: 'custom', message: `failed to parse ${name} as RFC3339 time: ${value}`, input: value })
      return z.NEVER
    }),
  )

/** 0 is none, as in every list. */
const limit = z.pipe(
  z.optional(z.union([z.string(), z.number()])),
  z.transform((value, context) => {
    if (value === undefined || value === '') return auditDefaultLimit
    const count = /^\d{1,10}$/.test(String(value)) ? Number(value) : NaN
    if (count <= auditMaxLimit) return count === 0 ? auditDefaultLimit : count
    const message = `limit must be a whole number from 0 to ${auditMaxLimit}: ${value}`
    context.issues.push({ code: 'custom', message, input: value })
    return z.NEVER
  }),
)

/** `start` and `end` are synonyms of `from` and `to`, which win. */
const range = {
  from: time('from'),
  to: time('to'),
  start: time('start'),
  end: time('end'),
  limit,
  startKey: z.optional(z.string().check(z.maxLength(1024))),
}

const order = z.optional(z.enum(['asc', 'desc', ''], 'order must be "asc" or "desc"'))

const page = z.object({ events: listOf(auditEventWire), startKey: z._default(z.string(), '') })

export const searchEvents = call({
  id: 'events.search',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/events/search',
  allow: rule('event', 'list'),
  params: clusterParams,
  /** `include`: event types joined by commas; absent means all. */
  query: z.object({ ...range, include: z.optional(z.string().check(z.maxLength(8192))), order }),
  out: page,
})
export const searchSessions = call({
  id: 'events.searchSessions',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/events/search/sessions',
  allow: rule('session', 'list'),
  params: clusterParams,
  query: z.object({ ...range, order }),
  out: page,
})
