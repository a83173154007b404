/** What the browser measured, as spans in the JSON of OTLP. */
import { traces } from '@sallyport/wire/calls/usage.ts'

export interface Span {
  name: string
  /** Epoch milliseconds. */
  start: number
  end: number
}

/** What of a browser's entry is used. */
export type Measured = Pick<PerformanceEntry, 'name' | 'entryType' | 'startTime' | 'duration'>

const calls = /^\/v1\/webapi\/(?:sites\/[^/]+\/([a-z-]+)|([a-z]+))/

/**
 * Undefined for what is of no interest. A call is known by the beginning of its path: behind that stand names, ids and,
 * in some, tokens.
 */
export function spanOf({ name, entryType, startTime, duration }: Measured, timeOrigin: number): Span | undefined {
  const times = { start: timeOrigin + startTime, end: timeOrigin + startTime + duration }
  if (entryType === 'navigation') return { name: 'page', ...times }
  const path = URL.parse(name)?.pathname ?? ''
  const [, ofCluster, plain] = calls.exec(path) ?? []
  if (path === traces.path || (ofCluster ?? plain) === undefined) return undefined
  return { name: ofCluster === undefined ? `call ${plain}` : `call sites/*/${ofCluster}`, ...times }
}

export interface SpanContext {
  traceId: string
  version: string
  newId: () => string
}

const kinds = { internal: 1, client: 3 }
const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1000)}000`
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

export const toResourceSpans = (spans: readonly Span[], { traceId, version, newId }: SpanContext): unknown[] => [
  {
    resource: { attributes: [attribute('service.name', 'sallyport-console'), attribute('service.version', version)] },
    scopeSpans: [
      {
        scope: { name: 'page' },
        spans: spans.map(({ name, start, end }) => ({
          traceId,
          spanId: newId(),
          name,
          kind: name === 'page' ? kinds.internal : kinds.client,
          startTimeUnixNano: nanoseconds(start),
          endTimeUnixNano: nanoseconds(end),
        })),
      },
    ],
  },
]
