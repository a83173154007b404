import { expect, test } from 'vitest'
import { createToasts, MAX_TOASTS, TOAST_MS } from './toast.ts'

/** A clock that only moves when told. */
function clock() {
  let now = 0
  let jobs: { at: number; run: () => void }[] = []
  return {
    timers: {
      now: () => now,
      after(ms: number, run: () => void) {
        const job = { at: now + ms, run }
        jobs.push(job)
        return () => {
          jobs = jobs.filter((one) => one !== job)
        }
      },
    },
    pass(ms: number) {
      now += ms
      for (const job of jobs.filter((one) => one.at <= now)) {
        jobs = jobs.filter((one) => one !== job)
        job.run()
      }
    },
  }
}

test('a toast stays at least eight seconds, then leaves', () => {
  const time = clock()
  const toasts = createToasts(time.timers)
  toasts.show({ title: 'Saved' })
  time.pass(7999)
  expect(toasts.store.get()).toHaveLength(1)
  time.pass(1)
  expect(toasts.store.get()).toHaveLength(0)
})

test('pausing stops the clock; resuming goes on with what was left', () => {
  const time = clock()
  const toasts = createToasts(time.timers)
  toasts.show({ title: 'Saved' })
  time.pass(5000)
  toasts.pause()
  time.pass(60_000)
  toasts.show({ title: 'Shown while paused' })
  time.pass(60_000)
  expect(toasts.store.get()).toHaveLength(2)
  toasts.resume()
  time.pass(TOAST_MS.ok - 5000)
  expect(toasts.store.get().map((toast) => toast.title)).toEqual(['Shown while paused'])
})

test('never more than three: the oldest gives way', () => {
  const toasts = createToasts(clock().timers)
  for (const title of ['a', 'b', 'c', 'd']) toasts.show({ title })
  expect(toasts.store.get().map((toast) => toast.title)).toEqual(['b', 'c', 'd'])
  expect(toasts.store.get()).toHaveLength(MAX_TOASTS)
})

test('dismissing an unknown toast changes nothing', () => {
  const toasts = createToasts(clock().timers)
  const id = toasts.show({ title: 'a' })
  const before = toasts.store.get()
  toasts.dismiss(id + 1)
  expect(toasts.store.get()).toBe(before)
  toasts.dismiss(id)
  expect(toasts.store.get()).toHaveLength(0)
})
