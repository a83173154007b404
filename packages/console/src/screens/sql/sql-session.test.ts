import type { SqlEvent } from '@sallyport/wire/sockets/sql.ts'
import { expect, test } from 'vitest'
import { sqlCsv } from './sql-csv.ts'
import { SqlSession, socketAddress } from './sql-session.ts'
import type { SqlSocket } from './sql-session.ts'

/** A session with the far end in hand. */
function world() {
  const sent: unknown[] = []
  const listeners = new Map<string, (event: never) => void>()
  const socket = {
    readyState: 1,
    send: (text: string) => void sent.push(JSON.parse(text)),
    close: () => void listeners.get('close')?.({} as never),
    addEventListener: (type: string, listener: (event: never) => void) => void listeners.set(type, listener),
  }
  const session = new SqlSession(() => socket as unknown as SqlSocket)
  const take = (...events: SqlEvent[]) => {
    for (const event of events) listeners.get('message')?.({ data: JSON.stringify(event) } as never)
  }
  session.connect()
  return { session, sent, take, drop: socket.close, state: () => session.state.get() }
}
const opened: SqlEvent = { type: 'open', sid: 'x', server: 'PostgreSQL 15', protocol: 'postgres' }
const statement = (index: number, count = 1): SqlEvent => ({ type: 'statement', run: 1, index, count, text: 'select' })

test('rows arrive, wait when there are more, and are asked for', () => {
  const { session, sent, take, state } = world()
  session.run('too early')
  take(opened)
  session.run('select 1')
  expect(sent).toEqual([{ type: 'run', run: 1, text: 'select 1', rows: 1000 }])
  take(
    statement(0),
    { type: 'columns', columns: [{ name: 'a', type: 'int4' }] },
    { type: 'rows', rows: [['1'], [null]] },
    { type: 'paused' },
  )
  expect(state().results).toMatchObject([{ state: 'paused', count: 2, rows: [['1'], [null]] }])
  session.more(1000)
  expect(sent.at(-1)).toEqual({ type: 'more', rows: 1000 })
  take({ type: 'rows', rows: [['3']] }, { type: 'done', tag: 'SELECT 3', ms: 4 }, { type: 'ready', run: 1, transaction: 'idle' })
  expect(state()).toMatchObject({ phase: 'ready', results: [{ state: 'done', count: 3, tag: 'SELECT 3' }] })
})
test('another run gives up the one that waits, and begins when that is over', () => {
  const { session, sent, take, state } = world()
  take(opened)
  session.run('select 1')
  take(statement(0), { type: 'paused' })
  session.run('select 2')
  expect(sent.at(-1)).toEqual({ type: 'cancel' })
  take({ type: 'done', tag: 'SELECT 10', ms: 1 }, { type: 'ready', run: 1, transaction: 'idle' })
  expect(sent.at(-1)).toMatchObject({ type: 'run', run: 2, text: 'select 2' })
  expect(state().results).toEqual([])
})
test('what did not run after a mistake is counted', () => {
  const { session, take, state } = world()
  take(opened)
  session.run('a; b; c')
  const problem = { severity: 'ERROR', code: '42601', message: 'no', detail: '', hint: '', at: 3 }
  take(statement(0, 3), { type: 'failed', problem, ms: 1 }, { type: 'ready', run: 1, transaction: 'failed' })
  expect(state()).toMatchObject({ left: 2, transaction: 'failed', results: [{ state: 'failed', problem }] })
})
test('the end says why, what runs counts as stopped, and one may connect again', () => {
  const { session, take, state, drop } = world()
  take(opened)
  session.run('select 1')
  take(statement(0), { type: 'end', text: 'locked' })
  drop()
  expect(state()).toMatchObject({ phase: 'ended', ended: 'locked', results: [{ state: 'cancelled' }] })
  session.connect()
  expect(state().phase).toBe('connecting')
  drop()
  expect(state().ended).toContain('refused or broke')
})
test('the address names everything, each part once escaped', () => {
  const url = new URL(socketAddress('https://console.example.com', { clusterId: 'a b', database: 'o/1', user: 'r&w', name: 'x' }, 'secret'))
  expect(url.href).toContain('wss://console.example.com/v1/webapi/sites/a%20b/databases/o%2F1/sql?')
  expect(Object.fromEntries(url.searchParams)).toEqual({ access_token: 'secret', user: 'r&w', name: 'x' })
})
test('a file keeps numbers, tells NULL from nothing, and runs no formulas', () =>
  expect(
    sqlCsv(
      [
        { name: 'a', type: '' },
        { name: 'b', type: '' },
      ],
      [
        ['-5', null],
        ['=1+1', ''],
        ['x"y', '1e3'],
      ],
    ),
  ).toBe(`"a","b"\r\n-5,\r\n"'=1+1",""\r\n"x""y",1e3\r\n`))
