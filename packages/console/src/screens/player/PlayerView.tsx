import { Copy, Link } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { saveFile } from '../../parts/save-file.ts'
import { createTerminalEngine, plainLook } from '../../parts/terminal-engine/terminal-engine.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Avatars } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { DATE_TIME_FORMAT, durationClock, formatDate } from '../../ui/dates.ts'
import { useStore } from '../../ui/store.ts'
import { toasts } from '../../ui/toast.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { Controls } from './Controls.tsx'
import { PlayerBar } from './PlayerBar.tsx'
import { playerCommand } from './player-keys.ts'
import { playerScreen } from './player-screen.ts'
import { RecordingPlayer } from './recording-player.ts'
import type { ExportFormat, RecordingSource } from './recording-source.ts'
import type { RecordingTimeline } from './recording-timeline.ts'
import type { OutputHit } from './search-output.ts'
import { RecordingNote } from './RecordingNote.tsx'
import { SidePanel, type SideTab } from './SidePanel.tsx'
import { Stage } from './Stage.tsx'
import { Timeline } from './Timeline.tsx'
import { useGone } from './use-gone.ts'
import { useOutputSearch } from './use-output-search.ts'
import styles from './player.module.css'

export interface PlayerViewProps {
  timeline: RecordingTimeline
  source: RecordingSource
  sid: string
  homePath: string
  kind: 'SSH' | 'Kubernetes'
  /** Where to start (ms). */
  startAt: number
  /** What to look for in the output at once. */
  find?: string | undefined
  /** The address that plays this recording from a moment on. */
  addressAt: (ms: number) => string
  scrollback: number
  onSignOut: () => void
  download: (format: ExportFormat) => Promise<Blob>
  /** Loads what a running session printed since. */
  onCatchUp?: (() => void) | undefined
}

/** A recording, ready to play: it starts by itself as soon as its screen is there. */
export function PlayerView({
  timeline,
  source,
  sid,
  homePath,
  kind,
  startAt,
  find,
  addressAt,
  scrollback,
  onSignOut,
  download,
  onCatchUp,
}: PlayerViewProps) {
  const [size, setSize] = useState<{ columns: number; rows: number }>(timeline.firstSize)
  const [fitted, setFitted] = useState(true)
  const wide = useMedia(media.wide)
  const [sideWish, setSide] = useState<boolean>()
  const [tab, setTab] = useState<SideTab>('search')
  const [fullScreen, setFullScreen] = useState(false)
  const app = useRef<HTMLDivElement>(null)
  const region = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const side = sideWish ?? wide

  const { engine, player } = useMemo(() => {
    const shown = createTerminalEngine({ ...plainLook, scrollback, readOnly: true, label: 'Recorded screen' }, {})
    const playing = new RecordingPlayer(timeline, {
      screen: playerScreen(shown, (next) => setSize((now) => (now.columns === next.columns && now.rows === next.rows ? now : next))),
      read: source.read,
      stretch: source.stretch,
      prefetch: source.prefetch,
      now: () => performance.now(),
      nextFrame(task) {
        const frame = requestAnimationFrame(task)
        return () => cancelAnimationFrame(frame)
      },
    })
    return { engine: shown, player: playing }
  }, [timeline, source, scrollback])
  const { failure } = useStore(player.state)
  const search = useOutputSearch(source, find)

  const started = useRef(false)
  const onReady = useCallback(() => {
    if (started.current) return
    started.current = true
    player.seek(startAt)
    // A moment that was looked for stands still, and so does the end.
    if (find === undefined && startAt < player.timeline.duration) player.play()
  }, [player, startAt, find])
  useGone(() => {
    player.dispose()
    engine.dispose()
    source.close()
  })

  const goTo = (hit: OutputHit) => {
    search.setCurrent(hit)
    player.pause()
    player.seek(hit.at)
    const mark = () => {
      if (player.state.get().seeking) return
      stop()
      const text = hit.line.slice(hit.from, hit.to)
      void engine.finder().then((finder) => finder.find({ text, caseSensitive: false, wholeWord: false, regex: false }, 'previous'))
    }
    // The mark can only be drawn once the moment is on the screen.
    const stop = player.state.subscribe(mark)
    mark()
  }
  const toggleFullScreen = () => {
    if (document.fullscreenElement) void document.exitFullscreen()
    else void app.current?.requestFullscreen?.().catch(() => toasts.show({ kind: 'warn', title: 'The browser did not allow full screen' }))
  }
  const onKey = (event: KeyboardEvent) => {
    const target = event.target instanceof HTMLElement ? event.target : undefined
    const typing = target?.matches('input:not([type=checkbox], [type=radio]), textarea:not(.xterm-helper-textarea)') ?? false
    const command = playerCommand(event)
    const ownKey =
      target?.closest('button, a, [role=menu], [role=tablist]') &&
      (event.key === ' ' || event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End')
    const choosing = target?.matches('[type=radio]') && event.key.startsWith('Arrow')
    if (!command || event.defaultPrevented || choosing || (typing && command.do !== 'find') || (ownKey && command.do !== 'find')) return
    event.preventDefault()
    if (command.do === 'toggle') player.toggle()
    else if (command.do === 'skip') player.skip(command.by)
    else if (command.do === 'tenth') player.seek((timeline.duration * command.tenth) / 10)
    else if (command.do === 'end') player.seek(timeline.duration)
    else if (command.do === 'speed') player.stepSpeed(command.by)
    else if (command.do === 'idle') player.setSkipIdle(!player.state.get().skipIdle)
    else if (command.do === 'fullscreen') toggleFullScreen()
    else if (command.do === 'copy' && engine.selection()) void copyText(engine.selection())
    else if (command.do === 'find') {
      setSide(true)
      setTab('search')
      requestAnimationFrame(() => field.current?.focus())
    }
  }
  const answer = useRef(onKey)
  useEffect(() => {
    answer.current = onKey
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => answer.current(event)
    const onChange = () => setFullScreen(document.fullscreenElement !== null)
    addEventListener('keydown', listen, true)
    document.addEventListener('fullscreenchange', onChange)
    return () => {
      removeEventListener('keydown', listen, true)
      document.removeEventListener('fullscreenchange', onChange)
    }
  }, [])

  const people = timeline.participants
  return (
    <div ref={app} className={styles['app']}>
      <PlayerBar
        title={timeline.title}
        homePath={homePath}
        onSignOut={onSignOut}
        actions={{
          details: () => {
            setSide(true)
            setTab('details')
          },
          copyLink: () => void copyLink(addressAt(player.position.get().ms)),
          download: (format) => void save(sid, format, download),
        }}
      >
        <span className="muted nowrap hide-s">{formatDate(timeline.startedAt, DATE_TIME_FORMAT, 'utc')} UTC</span>
        <span className="hide-s">
          <Badge tone="outline">{kind}</Badge>
        </span>
        <Button
          kind="quiet"
          size={24}
          icon={Copy}
          className={`${styles['sid']} mono hide-s`}
          title="Copy session id"
          onClick={() => void copyText(sid).then((done) => done && toasts.show({ title: 'Session id copied' }))}
        >
          <span className="sr">Copy session id </span>
          {sid.slice(0, 13)}…
        </Button>
        <span className="grow" />
        {people.length > 0 && (
          <span className="row hide-s" title={people.join(', ')}>
            <Avatars names={people} size={18} />
            <span className="sm t2">{people.length === 1 ? people[0] : `${people.length} people`}</span>
          </span>
        )}
        <CopyMoment player={player} addressAt={addressAt} />
      </PlayerBar>
      <main className={styles['middle']}>
        <Stage engine={engine} player={player} size={size} fitted={fitted} region={region} onReady={onReady} />
        {side && <SidePanel tab={tab} onTab={setTab} search={search} field={field} timeline={timeline} sid={sid} onHit={goTo} />}
      </main>
      <footer className={styles['deck']}>
        <RecordingNote seal={timeline.seal} onCatchUp={timeline.isRunning ? onCatchUp : undefined} />
        {failure && (
          <Alert
            kind="danger"
            title="The recording could not be read."
            action={
              <Button size={24} onClick={() => player.play()}>
                Resume
              </Button>
            }
          >
            {failure}
          </Alert>
        )}
        <Timeline player={player} hits={search.hits} current={search.current} />
        <Controls
          player={player}
          sideOpen={side}
          onSide={() => setSide(!side)}
          fitted={fitted}
          onFit={() => setFitted(!fitted)}
          fullScreen={fullScreen}
          onFullScreen={toggleFullScreen}
        />
      </footer>
    </div>
  )
}

async function copyLink(address: string): Promise<void> {
  if (await copyText(address)) toasts.show({ title: 'Link copied', body: 'It opens this recording at this moment.' })
}

async function save(sid: string, format: ExportFormat, download: PlayerViewProps['download']): Promise<void> {
  try {
    const content = await download(format)
    saveFile(`${sid}.${format === 'cast' ? 'cast' : 'txt'}`, content.type, content)
  } catch (error) {
    toasts.show({
      kind: 'danger',
      title: 'The recording could not be downloaded',
      body: error instanceof Error ? error.message : String(error),
    })
  }
}

function CopyMoment({ player, addressAt }: { player: RecordingPlayer; addressAt: (ms: number) => string }) {
  const { ms } = useStore(player.position)
  return (
    <Button kind="quiet" size={24} icon={Link} className="hide-s" onClick={() => void copyLink(addressAt(player.position.get().ms))}>
      Link at {durationClock(ms)}
    </Button>
  )
}
