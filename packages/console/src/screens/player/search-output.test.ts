import { expect, test } from 'vitest'
import { readTimeline } from './recording-timeline.ts'
import { searchOutput } from './search-output.ts'

const stream = new TextEncoder().encode('first timeout\r\n\u001b[31mTimeout\u001b[0m again\r\nnothing\r\n')
const time = new Date(0).toISOString()
const timeline =
  readTimeline(
    [
      { event: 'print', time, ms: 0, offset: 0, bytes: 15 },
      { event: 'print', time, ms: 700, offset: 15, bytes: stream.length - 15 },
    ],
    undefined,
  ) ?? expect.fail()
const read = async (offset: number, bytes: number) => stream.slice(offset, offset + bytes)

test('hits carry their time, their line and where in it they stand', async () => {
  const hits = await searchOutput(timeline, read, 'TIMEOUT', new AbortController().signal)
  expect(hits).toEqual([
    { at: 0, line: 'first timeout', from: 6, to: 13 },
    { at: 700, line: 'Timeout again', from: 0, to: 7 },
  ])
})

test('no text and no match give no hits; a newer search stops an older one', async () => {
  const signal = new AbortController().signal
  expect(await searchOutput(timeline, read, '', signal)).toEqual([])
  expect(await searchOutput(timeline, read, 'absent', signal)).toEqual([])
  expect(await searchOutput(timeline, read, 'timeout', AbortSignal.abort())).toEqual([])
})
