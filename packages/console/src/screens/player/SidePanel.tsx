import { Eye, Search, X } from 'lucide-react'
import { useEffect, useRef, type RefObject } from 'react'
import { config } from '../../api/page.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { durationClock, durationWords, formatDate } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { MarksTab } from './MarksTab.tsx'
import type { Mark } from './recording-marks.ts'
import type { RecordingTimeline } from './recording-timeline.ts'
import { hitLimit, type OutputHit } from './search-output.ts'
import type { OutputSearch } from './use-output-search.ts'
import styles from './player.module.css'

export type SideTab = 'search' | 'marks' | 'details'

export interface SidePanelProps {
  tab: SideTab
  onTab: (tab: SideTab) => void
  search: OutputSearch
  field: RefObject<HTMLInputElement | null>
  timeline: RecordingTimeline
  sid: string
  onHit: (hit: OutputHit) => void
  /** The mark that was gone to. */
  mark: Mark | undefined
  onMark: (mark: Mark) => void
}

/** Beside the recording: search in its output, and its facts. */
export function SidePanel({ tab, onTab, search, field, timeline, sid, onHit, mark, onMark }: SidePanelProps) {
  return (
    <aside className={styles['side']} aria-label="Recording">
      <Tabs
        label="Recording"
        value={tab}
        onValue={onTab}
        tabs={[
          { value: 'search', label: 'Search', content: <SearchTab search={search} field={field} onHit={onHit} /> },
          { value: 'marks', label: 'Marks', content: <MarksTab marks={timeline.marks} current={mark} onGo={onMark} /> },
          { value: 'details', label: 'Details', content: <Details timeline={timeline} sid={sid} /> },
        ]}
      />
      <p className={styles['foot']}>
        <Icon of={Eye} size={14} />
        Watching this recording is itself written to the audit log.
      </p>
    </aside>
  )
}

function SearchTab({ search, field, onHit }: Pick<SidePanelProps, 'search' | 'field' | 'onHit'>) {
  const { text, setText, hits, busy, failure, current } = search
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (current) void list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const told = busy ? '' : hits.length === 1 ? '1 hit' : `${hits.length}${hits.length >= hitLimit ? '+' : ''} hits`
  const step = (by: number) => {
    const next = hits[(hits.findIndex((hit) => hit === current) + by + hits.length) % Math.max(1, hits.length)]
    if (next) onHit(next)
  }
  return (
    <>
      <div className={styles['find']} role="search" aria-label="Output">
        <TextField
          ref={field}
          label="Search in output"
          hideLabel
          mono
          icon={Search}
          placeholder="Search in output…"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
            else if (event.key === 'Escape') setText('')
          }}
          end={
            text !== '' && (
              <>
                {busy ? <Spinner delay="short" label="Searching" /> : <span className="muted sm nowrap">{told}</span>}
                <IconButton icon={X} label="Clear search" size={24} onClick={() => setText('')} />
              </>
            )
          }
        />
        <span className="sr" role="status">
          {text !== '' && told}
        </span>
      </div>
      {failure && (
        <p className={styles['none']} role="alert">
          Could not search. {failure}
        </p>
      )}
      {text === '' && <p className={styles['none']}>Finds text that appeared on the screen, and takes you to that moment.</p>}
      {text !== '' && !busy && hits.length === 0 && !failure && <p className={styles['none']}>Nothing in this recording matches.</p>}
      <ol ref={list} className={styles['hits']}>
        {hits.map((hit, index) => (
          <li key={index}>
            <button type="button" aria-current={hit === current} onClick={() => onHit(hit)}>
              <time className="mono">{durationClock(hit.at).padStart(5, '0')}</time>
              <span className="mono">
                {hit.from > 80 ? `…${hit.line.slice(hit.from - 60, hit.from)}` : hit.line.slice(0, hit.from)}
                <mark>{hit.line.slice(hit.from, hit.to)}</mark>
                {hit.line.slice(hit.to, hit.to + 120)}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}

function Details({ timeline, sid }: Pick<SidePanelProps, 'timeline' | 'sid'>) {
  const { startedAt, duration, participants, firstSize: size, totalBytes, isRunning } = timeline
  const started = formatDate(startedAt, config.loc.dateTimeFormat, 'utc')
  const ended = formatDate(new Date(startedAt.getTime() + duration), config.loc.dateTimeFormat, 'utc')
  return (
    <dl className={styles['details']}>
      <dt>People</dt>
      <dd>
        {participants.map((name) => (
          <span key={name} className="row gap1">
            <Avatar name={name} size={18} /> {name}
          </span>
        ))}
        {participants.length === 0 && <span className="muted">not named</span>}
      </dd>
      <dt>Server</dt>
      <dd>{timeline.hostname || <span className="muted">not named</span>}</dd>
      <dt>Login</dt>
      <dd className="mono">{timeline.login || '–'}</dd>
      <dt>Started</dt>
      <dd className="mono">{started} UTC</dd>
      <dt>Ended</dt>
      <dd className="mono">{isRunning ? 'still running' : `${ended} UTC`}</dd>
      <dt>Length</dt>
      <dd>{durationWords(duration)}</dd>
      <dt>Window</dt>
      <dd className="mono">{`${size.columns} × ${size.rows}`}</dd>
      <dt>Output</dt>
      <dd>{totalBytes.toLocaleString('en')} bytes</dd>
      <dt>Session</dt>
      <dd>
        <span className="mono">{sid}</span>
        <CopyButton text={sid} label="Copy session ID" />
      </dd>
    </dl>
  )
}
