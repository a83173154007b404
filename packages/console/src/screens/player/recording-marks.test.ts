import { expect, test } from 'vitest'
import { commandMark, groupMarks, markFrom, markOf, type Mark } from './recording-marks.ts'

const time = '2026-11-21T10:00:00Z'
const mark = (at: number): Mark => ({ at, kind: 'command', text: `at ${at}` })

test('people, windows and commands make marks; other events make none', () => {
  const events = [
    { event: 'session.join', time, user: 'ann' },
    { event: 'session.leave', time },
    { event: 'resize', time, size: '120:40' },
    { event: 'exec', time, command: 'uptime', exitCode: '0' },
    { event: 'session.command', time, program: 'rm', argv: ['-rf', 'x'], return_code: 1 },
    ...[
      { event: 'resize', time, size: 'large' },
      { event: 'exec', time },
      { event: 'sftp', time },
      { event: 'session.command', time },
    ],
  ]
  expect(events.flatMap((event) => markOf(event, 5) ?? [])).toEqual([
    { at: 5, kind: 'join', text: 'ann joined' },
    { at: 5, kind: 'leave', text: 'Someone left' },
    { at: 5, kind: 'resize', text: 'Window 120 × 40' },
    { at: 5, kind: 'command', text: 'uptime' },
    { at: 5, kind: 'command', text: 'rm -rf x (ended with 1)', failed: true },
  ])
  expect(commandMark({ at: 1, text: '' })).toBeUndefined()
})

test('marks too close to be told apart stand together, in their order', () => {
  expect(groupMarks([mark(0), mark(90), mark(100), mark(500)], 1000, 0.1).map(({ at, marks }) => [at, marks.length])).toEqual([
    [0, 2],
    [100, 1],
    [500, 1],
  ])
  expect(groupMarks([mark(0), mark(0)], 0, 0.1)).toHaveLength(2)
})

test('forward goes to the next mark, back to the one before the one that is just being played', () => {
  const marks = [mark(1000), mark(5000), mark(9000)]
  expect([0, 1000, 8999].map((ms) => markFrom(marks, ms, 1)?.at)).toEqual([1000, 5000, 9000])
  expect(markFrom(marks, 9000, 1)).toBeUndefined()
  expect([9000, 5500, 7000].map((ms) => markFrom(marks, ms, -1)?.at)).toEqual([5000, 1000, 5000])
  expect(markFrom(marks, 1500, -1)).toBeUndefined()
})
