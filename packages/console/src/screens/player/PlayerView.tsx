import { Copy, Link } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { config } from '../../api/page.ts'
import { saveFile } from '../../parts/save-file.ts'
import { createTerminalEngine, plainLook } from '../../parts/terminal-engine/terminal-engine.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Avatars } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { durationClock, formatDate } from '../../ui/dates.ts'
import { useStore } from '../../ui/store.ts'
import { toasts } from '../../ui/toast.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { Controls } from './Controls.tsx'
import { PlayerBar } from './PlayerBar.tsx'
import { playerScreen } from './player-screen.ts'
import type { LiveRecording } from './live-recording.ts'
import { markFrom, type Mark } from './recording-marks.ts'
import { RecordingPlayer } from './recording-player.ts'
import type { ExportFormat, RecordingSource } from './recording-source.ts'
import type { RecordingTimeline } from './recording-timeline.ts'
import type { OutputHit } from './search-output.ts'
import { RecordingNote } from './RecordingNote.tsx'
import { SidePanel, type SideTab } from './SidePanel.tsx'
import { Stage } from './Stage.tsx'
import { Timeline } from './Timeline.tsx'
import { toggleFullScreen, usePlayerKeys } from './use-player-keys.ts'
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
  /** Absent where the proxy does not offer it. */
  download?: ((format: ExportFormat) => Promise<Blob>) | undefined
  /** Of a session that still runs. */
  live?: LiveRecording | undefined
}

/** A recording, ready to play: it starts by itself as soon as its screen is there. */
export function PlayerView({
  timeline: first,
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
  live,
}: PlayerViewProps) {
  const [size, setSize] = useState<{ columns: number; rows: number }>(first.firstSize)
  const [fitted, setFitted] = useState(true)
  const wide = useMedia(media.wide)
  const [sideWish, setSide] = useState<boolean>()
  const [tab, setTab] = useState<SideTab>('search')
  const [fullScreen, setFullScreen] = useState(false)
  const [mark, setMark] = useState<Mark>()
  const app = useRef<HTMLDivElement>(null)
  const region = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const side = sideWish ?? wide

  const { engine, player } = useMemo(() => {
    const shown = createTerminalEngine({ ...plainLook, scrollback, readOnly: true, label: 'Recorded screen' }, {})
    const playing = new RecordingPlayer(first, {
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
  }, [first, source, scrollback])
  const timeline = useStore(player.shown)
  const { failure } = useStore(player.state)
  const search = useOutputSearch(source, find)

  const started = useRef(false)
  const onReady = useCallback(() => {
    if (started.current) return
    started.current = true
    const { duration, isRunning } = player.timeline
    // Who opens a session that still runs sees what it shows now.
    if (isRunning && startAt === 0 && find === undefined) return player.goLive()
    player.seek(startAt)
    // A moment that was looked for stands still, and so does the end.
    if (find === undefined && startAt < duration) player.play()
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
  const goToMark = (mark: Mark) => {
    setMark(mark)
    player.seek(mark.at)
  }
  usePlayerKeys({
    player,
    engine,
    app,
    find() {
      setSide(true)
      setTab('search')
      requestAnimationFrame(() => field.current?.focus())
    },
    step(by) {
      const next = markFrom(timeline.marks, player.position.get().ms, by)
      if (next) goToMark(next)
    },
  })
  useEffect(() => {
    const onChange = () => setFullScreen(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', onChange)
    return () => document.removeEventListener('fullscreenchange', onChange)
  }, [])
  useEffect(() => {
    if (!live) return
    const extend = () => {
      const { timeline: next } = live.state.get()
      if (next && next !== player.timeline) player.extend(next)
    }
    extend()
    return live.state.subscribe(extend)
  }, [live, player])

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
          marks: () => {
            setSide(true)
            setTab('marks')
          },
          copyLink: () => void copyLink(addressAt(player.position.get().ms)),
          download: download && ((format) => void save(sid, format, download)),
        }}
      >
        <span className="muted nowrap hide-s">{formatDate(timeline.startedAt, config.loc.dateTimeFormat, 'utc')} UTC</span>
        <span className="hide-s">
          <Badge tone="outline">{kind}</Badge>
        </span>
        {timeline.isRunning && <Badge tone="ok">Running</Badge>}
        <Button
          kind="quiet"
          size={24}
          icon={Copy}
          className={`${styles['sid']} mono hide-s`}
          title="Copy session ID"
          onClick={() => void copyText(sid).then((done) => done && toasts.show({ title: 'Session ID copied' }))}
        >
          <span className="sr">Copy session ID </span>
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
        {side && (
          <SidePanel
            tab={tab}
            onTab={setTab}
            search={search}
            field={field}
            timeline={timeline}
            sid={sid}
            onHit={goTo}
            mark={mark}
            onMark={goToMark}
          />
        )}
      </main>
      <footer className={styles['deck']}>
        <RecordingNote seal={timeline.seal} live={live} />
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
        <Timeline player={player} hits={search.hits} current={search.current} onMark={goToMark} />
        <Controls
          player={player}
          sideOpen={side}
          onSide={() => setSide(!side)}
          fitted={fitted}
          onFit={() => setFitted(!fitted)}
          fullScreen={fullScreen}
          onFullScreen={() => toggleFullScreen(app.current)}
        />
      </footer>
    </div>
  )
}

async function copyLink(address: string): Promise<void> {
  if (await copyText(address)) toasts.show({ title: 'Link copied', body: 'It opens this recording at this moment.' })
}

async function save(sid: string, format: ExportFormat, download: NonNullable<PlayerViewProps['download']>): Promise<void> {
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
