/** What is measured of enrolling an integration. Nobody waits for the answer, and nothing depends on it. */
import { capture } from '@sallyport/wire/calls/usage.ts'
import { enrollEventKinds } from '@sallyport/wire/entities/integration.ts'
import { request } from '../../api/page.ts'
import type { EnrollTile } from './kinds.ts'

export function tellEnroll(event: 'start' | 'complete', id: string, type: EnrollTile['type']): void {
  const body = { event: `tp.ui.integrationEnroll.${event}`, eventData: { id, kind: enrollEventKinds[type] } }
  request(capture, { body }).catch(() => undefined)
}
