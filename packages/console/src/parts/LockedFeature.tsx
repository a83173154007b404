import { LockKeyhole } from 'lucide-react'
import type { ReactNode } from 'react'
import { callToActions } from '@sallyport/wire/entities/analytics-kinds.ts'
import type { LockedFeature as Feature } from '@sallyport/wire/entities/analytics-kinds.ts'
import { config } from '../api/page.ts'
import { buttonClass } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Icon } from '../ui/Icon.tsx'
import { reportUse } from './report-use.ts'

/** Where to ask for more; undefined when the configuration names no such place. */
export const contactUrl: string | undefined = /^(https:\/\/|mailto:)/.test(config.contactUrl) ? config.contactUrl : undefined

export const reportCallToAction = (feature: Feature): void =>
  reportUse({ event: 'tp.ui.callToAction.click', eventData: callToActions[feature] })

/** To whoever sells the plan; nothing where nobody does. */
export function AskForMore({ feature }: { feature: Feature }) {
  if (contactUrl === undefined) return null
  return (
    <a className={buttonClass()} href={contactUrl} target="_blank" rel="noreferrer" onClick={() => reportCallToAction(feature)}>
      Ask about other plans<span className="sr">, in a new tab</span>
    </a>
  )
}

/** In place of a feature that the plan of the cluster does not include: what it would do, and where to ask. */
export function LockedFeature({ feature, title, children }: { feature: Feature; title: string; children: ReactNode }) {
  return (
    <EmptyState title={title} actions={contactUrl === undefined ? undefined : <AskForMore feature={feature} />}>
      <Icon of={LockKeyhole} /> {children}
    </EmptyState>
  )
}
