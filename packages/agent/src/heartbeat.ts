import type { Labels } from './labels.ts'

/** What a node tells about itself, again and again; it counts as gone when `expires` passes without the next. */
export interface Heartbeat {
  readonly hostId: string
  readonly hostname: string
  readonly os: string
  /** Empty: reached through the tunnel, not by an address. */
  readonly addr: ''
  readonly tunnel: true
  readonly labels: Labels
  readonly version: string
  /** Epoch milliseconds. */
  readonly expires: number
}

export const heartbeatPeriod = 60_000
/** Two may get lost. */
export const heartbeatTtl = 3 * heartbeatPeriod

export interface RunningHeartbeat extends Disposable {
  /** Sends one at once, because something changed. */
  beat(): void
}

/** Sends the first one before it returns. */
export function startHeartbeat(
  describe: () => Omit<Heartbeat, 'expires'>,
  send: (heartbeat: Heartbeat) => void,
  clock: { now(): number },
): RunningHeartbeat {
  const beat = (): void => send({ ...describe(), expires: clock.now() + heartbeatTtl })
  beat()
  const timer = setInterval(beat, heartbeatPeriod).unref()
  return { beat, [Symbol.dispose]: () => clearInterval(timer) }
}
