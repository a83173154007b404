/** Tells when somebody has been silent for too long. Activity costs a comparison, not a timer. */
export interface IdleTimer extends Disposable {
  /** Something happened now. */
  touch(): void
  /** Epoch milliseconds of the last thing that happened. */
  readonly last: number
}

/** So long before the end it is told, or for a quarter of a short limit. */
const warnTime = 60_000

/** `limit` in milliseconds; 0 for never. `onWarn` is told, once per silence, how many milliseconds are left. */
export function startIdleTimer(
  limit: number,
  now: () => number,
  onIdle: () => void,
  onWarn: (left: number) => void = () => undefined,
): IdleTimer {
  const warning = Math.min(warnTime, limit / 4)
  let last = now()
  let warnedOf: number | undefined
  let timer: NodeJS.Timeout | undefined
  const check = (): void => {
    const left = last + limit - now()
    if (left <= 0) return onIdle()
    if (left <= warning && warnedOf !== last) {
      warnedOf = last
      onWarn(left)
    }
    timer = setTimeout(check, left > warning ? left - warning : left)
  }
  if (limit > 0) timer = setTimeout(check, limit - warning)
  return {
    touch: () => void (last = now()),
    get last() {
      return last
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
