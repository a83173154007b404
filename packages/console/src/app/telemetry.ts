/**
 * Spans of this page, for whoever runs the proxy: how long the page and its calls took. Loaded only where the viewer has
 * set `enable-telemetry` in their browser. Names of people, resources and sessions are in none of them.
 */
import { traces } from '@sallyport/wire/calls/usage.ts'
import { version } from '../../package.json'
import { requestRaw } from '../api/page.ts'
import { spanOf, toResourceSpans } from './spans.ts'
import type { Span } from './spans.ts'

/** Spans are gathered for so long, in milliseconds, and no more of them. */
const gatheredFor = 2_000
const atMost = 200

export function startTelemetry(): void {
  const traceId = randomHex(16)
  let gathered: Span[] = []
  const send = (): void => {
    const spans = gathered
    gathered = []
    const resourceSpans = toResourceSpans(spans, { traceId, version, newId: () => randomHex(8) })
    requestRaw(traces, { body: { resourceSpans } }).catch(() => undefined) // whoever did not get them has none
  }
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const span = spanOf(entry, performance.timeOrigin)
      if (!span || gathered.length >= atMost) continue
      if (gathered.push(span) === 1) setTimeout(send, gatheredFor)
    }
  })
  for (const type of ['navigation', 'resource']) observer.observe({ type, buffered: true })
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
