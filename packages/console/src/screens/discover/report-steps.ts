/** What the wizard reports of its use: which kind of resource, and how far somebody came with it. Never its name. */
import type { DiscoverStatus } from '@sallyport/wire/entities/analytics-kinds.ts'
import { reportUse } from '../../parts/report-use.ts'
import type { Step } from './kinds.ts'
import type { Tile } from './tiles.ts'

const events: Partial<Record<Step, string>> = {
  script: 'deployService',
  register: 'database.register',
  deploy: 'deployService',
  tls: 'database.configure.mtls',
  access: 'principals.configure',
  test: 'testConnection',
}
/** Of one way through the wizard. */
let id = ''

function report({ reported: resource }: Pick<Tile, 'reported'>, event: string, stepStatus: DiscoverStatus): void {
  reportUse({ event: `tp.ui.discover.${event}`, eventData: { id, resource, stepStatus } })
}

export function reportChoice(tile: Tile): void {
  id = crypto.randomUUID()
  report(tile, 'started', 'DISCOVER_STATUS_SUCCESS')
  report(tile, 'resourceSelection', 'DISCOVER_STATUS_SUCCESS')
}

export function reportStep(tile: Tile, step: Step, after: Step, how?: 'skipped'): void {
  id ||= crypto.randomUUID()
  const event = events[step]
  if (event !== undefined) report(tile, event, how ? 'DISCOVER_STATUS_SKIPPED' : 'DISCOVER_STATUS_SUCCESS')
  if (after === 'finish') report(tile, 'completed', 'DISCOVER_STATUS_SUCCESS')
}
