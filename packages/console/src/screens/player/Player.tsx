import { useQuery } from '@tanstack/react-query'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import * as calls from '@sallyport/wire/calls/recordings.ts'
import { recordingEvents, recordingLength, recordingStream } from '@sallyport/wire/calls/playback.ts'
import { recordingTypes } from '@sallyport/wire/entities/recording.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { recordingPieceLimit } from '@sallyport/wire/limits.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import * as z from 'zod/mini'
import { Suspense, useEffect, useMemo, useState, type ReactNode } from 'react'
import { config, request, requestRaw, session } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { useTitle } from '../../parts/page-title.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { Alert } from '../../ui/Alert.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { useStore } from '../../ui/store.ts'
import { LiveRecording } from './live-recording.ts'
import { PlayerBar } from './PlayerBar.tsx'
import { PlayerView } from './PlayerView.tsx'
import { positiveInteger, secondsOf } from './player-query.ts'
import { stretchedSource, wholeSource, type RecordingSource, type StretchCalls } from './recording-source.ts'
import { outlineTimeline, readTimeline, type RecordingTimeline } from './recording-timeline.ts'
import { between, evenly, StreamPieces, type Cut } from './stream-pieces.ts'
import styles from './player.module.css'

const searchWire = z.object({
  recordingType: z.optional(z.string()),
  durationMs: z.optional(z.string()),
  t: z.optional(z.string()),
  find: z.optional(z.string()),
})
const kinds = { ssh: 'SSH', k8s: 'Kubernetes' } as const
const keptPieces = { ofStretches: 24, ofWhole: 6, ofLive: 40 } as const
/** Bytes of a running session that are fetched at once. */
const livePiece = 512 * 1024
/** The recording is written twice a second. */
const askAgainAfter = 1000
const DesktopPlayer = lazyPiece(() => import('./DesktopPlayer.tsx').then((loaded) => loaded.DesktopPlayer))
const signOut = (): void => void session.signOut()

/** The session player: reads the recording's events, then plays its output as it is fetched. */
export function Player() {
  const { clusterId, sid } = useRouteParams('player')
  const [search] = useSearchState(searchWire)
  const { recordingType: type = '' } = search
  useTitle(`${clusterId} • Play ${sid}`)
  const known = recordingTypes.some((kind) => kind === type)
  const playable = type === 'ssh' || type === 'k8s'
  const home = routePath('cluster', { clusterId })
  if (!known)
    return (
      <Message home={home}>
        <Alert kind="danger" title={`Unknown recording type “${type}”`}>
          The address must say recordingType=ssh, k8s or desktop. Open the recording from the list of session recordings.
        </Alert>
      </Message>
    )
  if (!playable)
    return (
      <Suspense fallback={<Opening home={home} />}>
        <DesktopLoader
          clusterId={clusterId}
          sid={sid}
          durationMs={positiveInteger(search.durationMs)}
          startAt={secondsOf(search.t) * 1000}
          home={home}
        />
      </Suspense>
    )
  return (
    <Loader
      key={sid}
      clusterId={clusterId}
      sid={sid}
      type={type}
      durationMs={positiveInteger(search.durationMs)}
      startAt={secondsOf(search.t) * 1000}
      find={search.find}
      home={home}
    />
  )
}

interface LoaderProps {
  clusterId: string
  sid: string
  type: keyof typeof kinds
  durationMs: number | undefined
  startAt: number
  find: string | undefined
  home: string
}

interface LoadedProps extends LoaderProps {
  /** Whether the proxy writes recordings down in other forms. */
  hasExport: boolean
}

/** A recording whose link does not say how long it is: the proxy is asked. */
function DesktopLoader(props: Omit<LoaderProps, 'type' | 'find'>) {
  const { clusterId, sid, durationMs } = props
  const length = useQuery({
    ...callQuery(recordingLength, { params: { clusterId, sid } }),
    enabled: durationMs === undefined,
    staleTime: Infinity,
    throwOnError: false,
  })
  if (durationMs === undefined && length.isPending) return <Opening home={props.home} />
  return <DesktopPlayer {...props} durationMs={durationMs ?? length.data?.durationMs} />
}

function Loader(props: LoaderProps) {
  const { clusterId, sid, startAt } = props
  const params = useMemo(() => ({ clusterId, sid }), [clusterId, sid])
  // Only a proxy of our own has outlines, of finished recordings; without one everything is loaded first.
  const outline = useQuery({ ...callQuery(calls.outline, { params }), staleTime: Infinity, throwOnError: false })
  const timeline = useMemo(() => outline.data && outlineTimeline(outline.data), [outline.data])
  const source = useMemo(() => {
    if (!timeline) return undefined
    const { stretches, totalBytes } = timeline
    const pieces = piecesOf(params, between(stretches, totalBytes, recordingPieceLimit), keptPieces.ofStretches)
    return stretchedSource(timeline, pieces, stretchCalls(params), startAt)
  }, [timeline, params, startAt])
  if (outline.isPending) return <Opening home={props.home} />
  if (outline.isError && !isNotFound(outline.error))
    return <Failed home={props.home} error={outline.error} onRetry={() => void outline.refetch()} />
  // One of ours that has no outline yet says so; one that knows none answers with no JSON at all, and exports nothing either.
  const hasExport = outline.error?.cause === undefined
  return timeline && source ? (
    <Playing {...props} hasExport={hasExport} timeline={timeline} source={source} />
  ) : (
    <WholeLoader {...props} hasExport={hasExport} />
  )
}

/** Loads all events of a recording before it plays. */
function WholeLoader(props: LoadedProps) {
  const { clusterId, sid, durationMs, home } = props
  const params = { clusterId, sid }
  const events = useQuery({ ...callQuery(recordingEvents, { params }), staleTime: Infinity, throwOnError: false })
  // Only a recording without its end needs to be told its length; a failure leaves the length of its output.
  const length = useQuery({
    ...callQuery(recordingLength, { params }),
    enabled: durationMs === undefined,
    staleTime: Infinity,
    throwOnError: false,
  })
  const told = durationMs ?? length.data?.durationMs
  const waiting = events.isPending || (durationMs === undefined && length.isPending)
  const list = events.data?.events
  const timeline = useMemo(() => (waiting || !list ? undefined : readTimeline(list, told)), [waiting, list, told])
  const source = useMemo(
    () => timeline && wholeSource(() => timeline, piecesOf({ clusterId, sid }, evenly(recordingPieceLimit), keptPieces.ofWhole)),
    [timeline, clusterId, sid],
  )
  if (events.isError) return <Failed home={home} error={events.error} onRetry={() => void events.refetch()} />
  if (waiting) return <Opening home={home} />
  if (list && list.length > 0 && !list.some(({ event }) => event === 'session.end')) return <LiveLoader {...props} events={list} />
  return timeline && source ? <Playing {...props} timeline={timeline} source={source} /> : <Missing home={home} />
}

/** Follows a session that still runs. */
function LiveLoader({ events, ...props }: LoadedProps & { events: readonly AuditEventWire[] }) {
  const { clusterId, sid } = props
  const { live, source } = useMemo(() => {
    const params = { clusterId, sid }
    const following = new LiveRecording(events, {
      events: async (after, signal) => (await request(recordingEvents, { params, query: { after } }, { signal })).events,
      pause: (signal) => pause(askAgainAfter, signal),
      isFinal: (error) => error instanceof ApiError && [403, 404].includes(error.status),
    })
    const pieces = piecesOf(params, evenly(livePiece), keptPieces.ofLive)
    return { live: following, source: wholeSource(() => following.state.get().timeline ?? noTimeline(), pieces) }
  }, [events, clusterId, sid])
  useEffect(() => live.follow(), [live])
  const { timeline, trouble } = useStore(live.state)
  const [first, setFirst] = useState(timeline)
  if (!first && timeline) setFirst(timeline)
  if (!first && trouble !== undefined) return <Missing home={props.home} />
  return first ? <Playing {...props} timeline={first} source={source} live={live} /> : <Opening home={props.home} />
}

function noTimeline(): never {
  throw new Error('Nothing was printed yet.')
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new Error('It is no longer followed.'))
    })
  })

interface Place {
  clusterId: string
  sid: string
}

const piecesOf = (params: Place, cut: Cut, kept: number): StreamPieces =>
  new StreamPieces(
    async (offset, bytes, signal) => {
      const response = await requestRaw(recordingStream, { params, query: { offset, bytes } }, { signal })
      return new Uint8Array(await response.arrayBuffer())
    },
    cut,
    kept,
  )

const stretchCalls = (params: Place): StretchCalls => ({
  keyframe: (at, signal) => request(calls.keyframe, { params, query: { at } }, { signal }),
  search: (query, limit, signal) =>
    request(calls.search, { params: { clusterId: params.clusterId }, query: { query, sid: params.sid, limit } }, { signal }),
})

function Playing({
  clusterId,
  sid,
  type,
  startAt,
  find,
  home,
  timeline,
  source,
  live,
  hasExport,
}: LoadedProps & { timeline: RecordingTimeline; source: RecordingSource; live?: LiveRecording }) {
  return (
    <PlayerView
      timeline={timeline}
      source={source}
      sid={sid}
      homePath={home}
      kind={kinds[type]}
      startAt={startAt}
      find={find}
      scrollback={config.ui.scrollbackLines}
      onSignOut={signOut}
      live={live}
      download={
        hasExport
          ? (format) =>
              requestRaw(calls.exportRecording, { params: { clusterId, sid }, query: { format } }).then((response) => response.blob())
          : undefined
      }
      addressAt={(ms) => {
        const query = new URLSearchParams({
          recordingType: type,
          ...(!timeline.isRunning && { durationMs: String(Math.round(timeline.duration)) }),
          t: String(Math.floor(ms / 1000)),
        })
        return `${location.origin}${routePath('player', { clusterId, sid })}?${query}`
      }}
    />
  )
}

function Missing({ home }: { home: string }) {
  return (
    <Message home={home}>
      <EmptyState
        plain
        title="This recording is not available"
        actions={
          <a className={buttonClass()} href={home}>
            Go to start
          </a>
        }
      >
        It may not be uploaded yet, it may have been removed after its time, or the session was not recorded.
      </EmptyState>
    </Message>
  )
}

function Failed({ home, error, onRetry }: { home: string; error: Error; onRetry: () => void }) {
  if (isNotFound(error)) return <Missing home={home} />
  return (
    <Message home={home}>
      <LoadError title="The recording could not be opened." error={error} onRetry={onRetry} />
    </Message>
  )
}

function Opening({ home }: { home: string }) {
  return (
    <Message home={home}>
      <Spinner size={24} delay="long" label="Opening the recording" showLabel />
    </Message>
  )
}

function Message({ home, children }: { home: string; children: ReactNode }) {
  return (
    <div className={styles['app']}>
      <PlayerBar title="Recording" homePath={home} onSignOut={signOut} />
      <main className={styles['message']}>{children}</main>
    </div>
  )
}
