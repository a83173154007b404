import { ChevronDown, ChevronUp, Link2, Play, Search, WrapText } from 'lucide-react'
import { useState } from 'react'
import { severityOf } from '@sallyport/wire/audit/event.ts'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { toRecording } from '@sallyport/wire/entities/recording.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { Fact, FactList } from '../../ui/FactList.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { JsonBlock } from '../../ui/CodeBlock.tsx'
import { CopyButton, copyText } from '../../ui/CopyButton.tsx'
import { formatDate, relativeWords } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Inspector } from '../../ui/SidePanel.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { toasts } from '../../ui/toast.ts'
import { useNow } from '../../ui/use-now.ts'
import { severityStatus, sidOf } from './audit-filter.ts'
import { eventFacts } from './event-facts.ts'
import styles from './Audit.module.css'

export interface EventInspectorProps {
  event: AuditDisplay
  clusterId: string
  dateTimeFormat: string
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onClose: () => void
  /** Filters the list by a fact. */
  onFact: (value: string) => void
}

/** One event in full: what happened, its facts, and the event as it was stored. */
export function EventInspector({ event, clusterId, dateTimeFormat, onPrevious, onNext, onClose, onFact }: EventInspectorProps) {
  const [wrap, setWrap] = useState(true)
  const now = useNow()
  const recording =
    event.raw.event === 'session.end' || event.raw.event === 'windows.desktop.session.end' ? toRecording(event.raw) : undefined
  const player =
    recording?.playable && recording.sid
      ? routePath('player', { clusterId, sid: recording.sid }) +
        formatSearch({ recordingType: recording.recordingType, durationMs: recording.duration })
      : undefined
  const copyLink = async () => {
    if (await copyText(window.location.href)) toasts.show({ title: 'Link copied' })
  }
  return (
    <Inspector
      open
      onClose={onClose}
      title={
        <>
          <StatusGlyph status={severityStatus[severityOf(event.code)]} />
          <span className="trunc">{event.codeDesc}</span>
          <span className="mono muted sm">{event.code}</span>
        </>
      }
      actions={
        <>
          <IconButton icon={ChevronUp} label="Previous event" keys="↑" disabled={!onPrevious} onClick={onPrevious} />
          <IconButton icon={ChevronDown} label="Next event" keys="↓" disabled={!onNext} onClick={onNext} />
        </>
      }
    >
      <p className={styles['headline']}>{event.message}</p>
      <FactList names={72} className={styles['facts']}>
        {eventFacts(event).map((fact) => (
          <Fact key={fact.label} name={fact.label}>
            <button
              type="button"
              className={`${styles['fact']} ${fact.mono ? 'mono' : ''}`}
              title={`Search for ${fact.value}`}
              onClick={() => onFact(fact.value)}
            >
              {fact.value}
            </button>
            {fact.note && <span className="muted sm"> {fact.note}</span>}
          </Fact>
        ))}
        <Fact name="When">
          <span className="mono">{formatDate(event.time, dateTimeFormat, 'utc')} UTC</span>
          <br />
          <span className="muted sm">
            {formatDate(event.time, dateTimeFormat, 'local')} local, {relativeWords(event.time, now)}
          </span>
        </Fact>
      </FactList>
      <div className="row wrap">
        {player && (
          <a className={buttonClass({ size: 24 })} href={player} target="_blank" rel="noopener">
            <Icon of={Play} size={14} />
            Play recording
          </a>
        )}
        {sidOf(event) && (
          <Button size={24} icon={Search} onClick={() => onFact(sidOf(event))}>
            Session’s events
          </Button>
        )}
        <Button size={24} icon={Link2} onClick={() => void copyLink()}>
          Copy link
        </Button>
      </div>
      <div className={styles['rawHead']}>
        <h3 className="grow">Raw event</h3>
        <IconButton icon={WrapText} label="Wrap lines" pressed={wrap} size={24} onClick={() => setWrap(!wrap)} />
        <CopyButton text={JSON.stringify(event.raw, null, 2)} label="Copy raw event" />
      </div>
      <JsonBlock value={event.raw} label="Raw event" wrap={wrap} />
    </Inspector>
  )
}
