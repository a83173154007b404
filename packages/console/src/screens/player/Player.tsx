import { useQuery } from '@tanstack/react-query'
import { recordingEvents, recordingLength, recordingStream } from '@sallyport/wire/calls/sessions.ts'
import { recordingTypes } from '@sallyport/wire/entities/recording.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { recordingPieceLimit } from '@sallyport/wire/limits.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import * as z from 'zod/mini'
import { useMemo, type ReactNode } from 'react'
import { config, requestRaw, session } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { useTitle } from '../../parts/page-title.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { PlayerBar } from './PlayerBar.tsx'
import { PlayerView } from './PlayerView.tsx'
import { positiveInteger } from './player-query.ts'
import { readTimeline } from './recording-timeline.ts'
import { StreamPieces } from './stream-pieces.ts'
import styles from './player.module.css'

const searchWire = z.object({ recordingType: z.optional(z.string()), durationMs: z.optional(z.string()), t: z.optional(z.string()) })
const kinds = { ssh: 'SSH', k8s: 'Kubernetes' } as const
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
      <Message home={home}>
        <Alert kind="warn" title="Desktop recordings cannot be played here yet.">
          This console plays recordings of servers and Kubernetes sessions.
        </Alert>
      </Message>
    )
  return (
    <Loader
      key={sid}
      clusterId={clusterId}
      sid={sid}
      type={type}
      durationMs={positiveInteger(search.durationMs)}
      startAt={(positiveInteger(search.t) ?? 0) * 1000}
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
  home: string
}

function Loader({ clusterId, sid, type, durationMs, startAt, home }: LoaderProps) {
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
  const pieces = useMemo(
    () =>
      new StreamPieces(async (offset, bytes, signal) => {
        const response = await requestRaw(recordingStream, { params: { clusterId, sid }, query: { offset, bytes } }, { signal })
        return new Uint8Array(await response.arrayBuffer())
      }, recordingPieceLimit),
    [clusterId, sid],
  )
  if (events.isError)
    return (
      <Message home={home}>
        {isMissing(events.error) ? (
          <Missing />
        ) : (
          <Alert
            kind="danger"
            title="The recording could not be opened."
            action={
              <Button size={24} onClick={() => void events.refetch()}>
                Retry
              </Button>
            }
          >
            {events.error.message}
          </Alert>
        )}
      </Message>
    )
  if (waiting)
    return (
      <Message home={home}>
        <Spinner size={24} delay="long" label="Opening the recording" showLabel />
      </Message>
    )
  if (!timeline)
    return (
      <Message home={home}>
        <Missing />
      </Message>
    )
  return (
    <PlayerView
      timeline={timeline}
      pieces={pieces}
      sid={sid}
      homePath={home}
      kind={kinds[type]}
      startAt={startAt}
      scrollback={config.ui.scrollbackLines}
      onSignOut={signOut}
      addressAt={(ms) => {
        const query = new URLSearchParams({
          recordingType: type,
          durationMs: String(Math.round(timeline.duration)),
          t: String(Math.floor(ms / 1000)),
        })
        return `${location.origin}${routePath('player', { clusterId, sid })}?${query}`
      }}
    />
  )
}

const isMissing = (error: Error): boolean => error instanceof ApiError && error.status === 404

function Missing() {
  return (
    <EmptyState plain title="This recording is not available">
      It may not be uploaded yet, it may have been removed after its time, or the session was not recorded.
    </EmptyState>
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
