import { maskedSecret } from '@sallyport/wire/entities/connector.ts'
import { expect, test } from 'vitest'
import {
  blankTexts,
  connectionFacts,
  connectionProblems,
  isGood,
  newRow,
  nobodyTold,
  settingsOf,
  textsOf,
  toldFacts,
  toldOf,
  toldProblems,
} from './plugin-draft.ts'

const mail = { ...blankTexts, host: 'smtp.example.com', from: 'sallyport@example.com' }
const problemsOf = (...args: Parameters<typeof connectionProblems>): string[] =>
  Object.entries(connectionProblems(...args)).flatMap(([name, problem]) => (problem === undefined ? [] : [name]))

test('each kind says which of its fields is wrong; a secret that is stored may be left out', () => {
  expect(problemsOf('slack', { ...blankTexts, secret: 'xoxb-1' }, false)).toEqual([])
  for (const secret of ['', 'xoxp-1', 'hunter2']) expect(problemsOf('slack', { ...blankTexts, secret }, false)).toEqual(['secret'])
  expect(problemsOf('slack', blankTexts, true)).toEqual([])
  expect(problemsOf('mattermost', { ...blankTexts, url: 'https://chat.example.com', secret: 't' }, false)).toEqual([])
  expect(problemsOf('mattermost', { ...blankTexts, url: 'http://chat.example.com' }, false)).toEqual(['url', 'secret'])
  expect(problemsOf('email', mail, false)).toEqual([])
  expect(problemsOf('email', { ...mail, username: 'u' }, false)).toEqual(['secret'])
  expect(problemsOf('email', { ...mail, secret: 'p' }, false)).toEqual(['username'])
  expect(problemsOf('email', { ...mail, tls: 'none' }, false)).toEqual(['tls'])
  expect(problemsOf('email', { ...mail, tls: 'none', host: 'localhost' }, false)).toEqual([])
  expect(problemsOf('email', { ...mail, host: '', port: '0', from: 'me', caCert: 'x' }, false)).toEqual(['host', 'port', 'from', 'caCert'])
})

test('recipients have the form of their kind; a role stands once and tells somebody', () => {
  expect(isGood(toldProblems('slack', nobodyTold))).toBe(true)
  expect(isGood(toldProblems('slack', { recipients: ['#access', 'a@example.com'], roles: [newRow('dba', ['#dba'])] }))).toBe(true)
  expect(toldProblems('email', { ...nobodyTold, recipients: ['a@example.com', '#access'] }).recipients).toContain('"#access"')
  expect(toldProblems('mattermost', { ...nobodyTold, recipients: ['access'] }).recipients).toContain('team/channel')
  const rows = [newRow('dba', ['#dba']), newRow('dba', []), newRow('', ['no channel'])]
  expect([...toldProblems('slack', { ...nobodyTold, roles: rows }).rows.values()]).toEqual([
    { role: 'This role is already there', recipients: undefined },
    { role: 'This role is already there', recipients: 'Add at least one recipient' },
    { role: 'Enter a role', recipients: expect.stringContaining('"no channel"') },
  ])
})

test('what is stored comes back as it was, and its secret only as its mask', () => {
  const told = { recipients: ['oncall@example.com'], roleRecipients: [{ role: 'dba', recipients: ['dba@example.com'] }] }
  const server = { host: 'smtp.example.com', port: 465, tls: 'tls' as const, username: 'u', from: 'a@example.com', caCert: '' }
  const stored = { kind: 'email' as const, ...server, password: maskedSecret, ...told }
  expect(textsOf(stored).secret).toBe('')
  expect(settingsOf('email', textsOf(stored), toldOf(stored), true)).toEqual(stored)
  expect(settingsOf('email', { ...textsOf(stored), secret: ' p ' }, toldOf(stored), true)).toMatchObject({ password: ' p ' })
  expect(settingsOf('email', { ...textsOf(stored), username: '' }, toldOf(stored), true)).toMatchObject({ password: '' })
})

test('what was entered is told in short, and never the secret', () => {
  const facts = connectionFacts('email', { ...mail, name: 'mail', username: 'u', secret: 'hunter2' })
  expect(facts).toEqual([
    ['Plugin', 'mail'],
    ['Server', 'smtp.example.com:587, STARTTLS'],
    ['User', 'u'],
    ['Sender', 'sallyport@example.com'],
  ])
  expect(toldFacts({ recipients: [], roles: [newRow('dba', ['#dba', '#ops'])] })).toEqual([
    ['Recipients', 'None but suggested reviewers'],
    ['For dba', '#dba, #ops'],
  ])
})
