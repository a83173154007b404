/** What is told about a request: at which stage it is, and in which words. */
import { endOf } from '../requests/request.ts'
import type { RequestSpec } from '../requests/request.ts'
import type { ResourceFinders } from '../requests/requested-resources.ts'
import type { Fact, Notice } from './messenger.ts'

/** `review`: whoever may decide, and channels. `answer`: whoever has asked. */
export type Purpose = 'review' | 'answer'

/** `PENDING/2` after two reviews; then what became of it. */
export type Stage = `PENDING/${number}` | 'APPROVED' | 'DENIED' | 'EXPIRED' | 'REMOVED'
/** Undefined: the request is not there any more. `now`: epoch milliseconds. */
export function stageOf(spec: RequestSpec | undefined, now: number): Stage {
  if (!spec) return 'REMOVED'
  if (spec.state !== 'PENDING') return spec.state
  return endOf(spec) <= now ? 'EXPIRED' : `PENDING/${spec.reviews.length}`
}
export const isLast = (stage: Stage): boolean => !stage.startsWith('PENDING')
/** Whether a stage is worth a first message. */
export const isNews = (stage: Stage, purpose: Purpose): boolean =>
  stage !== 'EXPIRED' && stage !== 'REMOVED' && !(purpose === 'answer' && stage === 'PENDING/0')

const time = (text: string): string => `${new Date(text).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** `2 days 4 hours`, `30 minutes` */
function spanOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const parts = [
    [Math.floor(minutes / 1440), 'day'],
    [Math.floor((minutes % 1440) / 60), 'hour'],
    [minutes % 60, 'minute'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ')
}

export interface NoticeDeps {
  finders: ResourceFinders
  site: { readonly origin: string }
}

export interface About {
  id: string
  purpose: Purpose
  stage: Stage
  spec: RequestSpec | undefined
}

export function noticeOf({ finders, site }: NoticeDeps, { id, purpose, stage, spec }: About): Notice {
  const frame = { key: `${id}/${purpose}/${stage}`, link: `${site.origin}/web/requests/${encodeURIComponent(id)}` }
  if (!spec) return { ...frame, title: `${purpose === 'answer' ? 'Your' : 'An'} access request was removed`, facts: [] }
  return { ...frame, title: titleOf(spec, stage, purpose), facts: factsOf(spec, stage, finders) }
}

function titleOf({ user }: RequestSpec, stage: Stage, purpose: Purpose): string {
  const whose = purpose === 'answer' ? 'Your' : `${user}'s`
  if (stage === 'APPROVED') return `${whose} access request was approved`
  if (stage === 'DENIED') return `${whose} access request was denied`
  if (stage === 'EXPIRED') return `${whose} access request expired, nobody decided in time`
  return purpose === 'answer' ? 'Your access request was reviewed' : `${user} asks for access`
}

const fact = (label: string, value: string): Fact[] => (value.trim() === '' ? [] : [{ label, value }])

function factsOf(spec: RequestSpec, stage: Stage, finders: ResourceFinders): Fact[] {
  const resources = spec.resources.map(({ kind, name, part }) => {
    const label = finders.get(kind)?.(name)?.label ?? name
    return part === undefined ? label : `${label}/${part}`
  })
  const reviews = spec.reviews.map(({ author, state, reason }) => {
    const verb = state === 'APPROVED' ? 'approved' : 'denied'
    return reason.trim() === '' ? `${author} ${verb}` : `${author} ${verb}: ${reason}`
  })
  return [
    ...fact('Who', spec.user),
    ...fact(spec.roles.length === 1 ? 'Role' : 'Roles', spec.roles.join(', ')),
    ...fact(resources.length === 1 ? 'Resource' : 'Resources', resources.join(', ')),
    ...fact('Reason', spec.reason),
    ...timesOf(spec, stage),
    ...fact(reviews.length === 1 ? 'Review' : 'Reviews', reviews.join('\n')),
    // Decided without a review, by whoever runs the proxy.
    ...(reviews.length === 0 ? fact('Words', spec.resolve_reason) : []),
  ]
}

function timesOf(spec: RequestSpec, stage: Stage): Fact[] {
  if (stage === 'APPROVED') return fact('Access until', time(spec.access_until))
  if (isLast(stage)) return []
  return [...fact('For', `${spanOf(spec.duration)} from the approval`), ...fact('Decide before', time(spec.pending_until))]
}
