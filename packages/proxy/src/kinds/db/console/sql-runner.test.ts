import type { SqlEvent } from '@sallyport/wire/sockets/sql.ts'
import { expect, test } from 'vitest'
import { SqlRunner } from './sql-runner.ts'
import type { Outcome } from './statements.ts'

/** Statements of which each is done when the test says so, and an audit log that is as slow as the test wants it. */
function startRunner(emit: (code: string) => Promise<void> = () => Promise.resolve()) {
  const codes: string[] = []
  const events: SqlEvent[] = []
  const begun: { text: string; end: (outcome: Outcome) => void }[] = []
  const stops: (() => void)[] = []
  const runner = new SqlRunner({
    session: {
      emit: (code) => {
        codes.push(code)
        return emit(code)
      },
      hold: () => ({ [Symbol.dispose]: () => undefined }),
    },
    statements: { run: (text) => new Promise((end) => begun.push({ text, end })) },
    split: (text) => text.split(';').map((piece, start) => ({ text: piece, start })),
    stop: () => new Promise((resolve) => stops.push(resolve)),
    send: (event) => {
      events.push(event)
      return Promise.resolve()
    },
  })
  return { runner, codes, events, begun, stops }
}
const types = (events: readonly SqlEvent[]) => events.map(({ type }) => type)
const stopped = { severity: 'ERROR', code: '57014', message: 'canceling statement', detail: '', hint: '', position: 0 }

test('what is stopped while its event is being written never reaches the database', async () => {
  const { promise: written, resolve: write } = Promise.withResolvers<void>()
  const { runner, codes, events, begun, stops } = startRunner((code) => (code === 'TDB02I' ? written : Promise.resolve()))
  const run = runner.run({ run: 1, text: 'one;two', rows: 10 })
  await expect.poll(() => codes).toEqual(['TDB02I'])
  runner.cancel()
  write()
  stops[0]?.()
  await run
  expect(begun).toEqual([])
  expect(codes).toEqual(['TDB02I', 'TDB02W'])
  expect(types(events)).toEqual(['statement', 'failed', 'ready'])
})

test('what runs on although it was stopped is stopped again, once at a time', async () => {
  const { runner, events, begun, stops } = startRunner()
  runner.cancel() // nothing runs
  const run = runner.run({ run: 1, text: 'one;two', rows: 10 })
  await expect.poll(() => begun.length).toBe(1)
  runner.cancel()
  runner.cancel()
  expect(stops).toHaveLength(1)
  stops[0]?.()
  await expect
    .poll(() => {
      runner.cancel()
      return stops.length
    })
    .toBe(2)
  stops[1]?.()
  begun[0]?.end({ tag: undefined, error: stopped, transaction: 'failed' })
  await run
  expect(types(events)).toEqual(['statement', 'failed', 'ready'])
  expect(events.at(-1)).toMatchObject({ transaction: 'failed' })
})
