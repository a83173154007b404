import { expect, test } from 'vitest'
import { AppError } from '../../core/errors.ts'
import { parseTerminalParams } from './terminal-params.ts'

const sid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const term = { h: 25, w: 80 }

test('a new session and a join are told apart by the sid', () => {
  const size = { columns: 80, rows: 25 }
  expect(parseTerminalParams(JSON.stringify({ server_id: 'web-1', login: 'root', term }))).toEqual({
    kind: 'new',
    serverId: 'web-1',
    login: 'root',
    size,
  })
  expect(
    parseTerminalParams(JSON.stringify({ sid: sid.toUpperCase(), mode: 'observer', term, KeepAliveInterval: 5, namespace: 'x' })),
  ).toEqual({ kind: 'join', sid, mode: 'observer', size })
  expect(parseTerminalParams(JSON.stringify({ sid, term }))).toEqual({ kind: 'join', sid, mode: undefined, size })
})

test('whatever is wrong is refused with the text that consoles know', () => {
  const whole = { server_id: 's', login: 'root', term }
  const cases: [string | undefined, string][] = [
    [undefined, 'missing params'],
    ['', 'missing params'],
    ['{', 'params: not valid JSON'],
    ['[]', 'params: '],
    [JSON.stringify({ ...whole, login: 7 }), 'params: login: '],
    [JSON.stringify({ ...whole, sid: 'nonsense' }), 'sid: invalid session id'],
    [JSON.stringify({ ...whole, sid: '../../etc' }), 'sid: invalid session id'],
    [JSON.stringify({ ...whole, login: '' }), 'login: missing login'],
    [JSON.stringify({ server_id: 's', term }), 'login: missing login'],
    [JSON.stringify({ login: 'root', term }), 'server: missing server'],
    [JSON.stringify({ server_id: 's', login: 'root' }), 'term: bad dimensions(0x0)'],
    [JSON.stringify({ ...whole, term: { h: 0, w: 80 } }), 'term: bad dimensions(80x0)'],
    [JSON.stringify({ ...whole, term: { h: 25, w: 4096 } }), 'term: bad dimensions(4096x25)'],
    [JSON.stringify({ ...whole, term: { h: 2.5, w: 80 } }), 'term: bad dimensions(80x2.5)'],
    [JSON.stringify({ sid, mode: 'owner', term }), 'mode: must be one of observer, moderator, peer'],
  ]
  for (const [json, message] of cases) {
    const attempt = (): unknown => parseTerminalParams(json)
    expect(attempt, String(json)).toThrow(AppError)
    expect(attempt, String(json)).toThrow(message)
  }
})
