import { expect, test } from 'vitest'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { LiveRecording } from './live-recording.ts'

const time = (ms: number): string => new Date(Date.UTC(2026, 10, 21) + ms).toISOString()
const start = { ei: 0, event: 'session.start', time: time(0), size: '80:25' }
const print = (ei: number, ms: number) => ({ ei, event: 'print', time: time(ms), ms, offset: ei - 1, bytes: 1 })

/** A session whose next events, or failures, are told one step at a time. */
function setUp(first: AuditEventWire[]) {
  const asked: number[] = []
  let step = Promise.withResolvers<void>()
  let answers: (AuditEventWire[] | Error)[] = []
  const live = new LiveRecording(first, {
    pause: () => step.promise,
    isFinal: (error) => error instanceof Error && error.message === 'gone',
    async events(after) {
      asked.push(after)
      step = Promise.withResolvers()
      const answer = answers.shift() ?? []
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  const tell = async (answer: AuditEventWire[] | Error): Promise<void> => {
    answers = [answer]
    const before = asked.length
    step.resolve()
    await expect.poll(() => asked.length).toBe(before + 1)
  }
  return { live, asked, tell }
}

test('what was written since is asked for and added, nothing twice, until the session has ended', async () => {
  const { live, asked, tell } = setUp([start])
  live.follow()
  expect(live.state.get().timeline).toBeUndefined()
  await tell([print(1, 10)])
  await expect.poll(() => live.state.get().timeline).toMatchObject({ isRunning: true, totalBytes: 1 })
  await tell([start, print(1, 10), print(2, 500)])
  await expect.poll(() => live.state.get().timeline).toMatchObject({ duration: 490, totalBytes: 2 })
  await tell([{ ei: 3, event: 'session.end', time: time(900) }])
  await expect.poll(() => live.state.get().timeline).toMatchObject({ isRunning: false, duration: 890 })
  expect(asked).toEqual([1, 2, 3])
})

test('a failure is told and asked again; one that is final is told and ends it', async () => {
  const { live, asked, tell } = setUp([start, print(1, 10)])
  live.follow()
  await tell(new Error('Network request failed'))
  await expect.poll(() => live.state.get().trouble).toBe('Network request failed')
  await tell([])
  await expect.poll(() => live.state.get().trouble).toBeUndefined()
  await tell(new Error('gone'))
  await expect.poll(() => live.state.get().trouble).toBe('gone')
  expect(asked).toEqual([2, 2, 2])
})
