/** Tells when somebody has been silent for too long. Activity costs a comparison, not a timer. */
export interface IdleTimer extends Disposable {
  /** Something happened now. */
  touch(): void
  /** Epoch milliseconds of the last thing that happened. */
  readonly last: number
}

/** `limit` in milliseconds; 0 for never. */
export function startIdleTimer(limit: number, now: () => number, onIdle: () => void): IdleTimer {
  let last = now()
  let timer: NodeJS.Timeout | undefined
  const check = (): void => {
    const left = last + limit - now()
    if (left <= 0) onIdle()
    else timer = setTimeout(check, left)
  }
  if (limit > 0) timer = setTimeout(check, limit)
  return {
    touch: () => void (last = now()),
    get last() {
      return last
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
