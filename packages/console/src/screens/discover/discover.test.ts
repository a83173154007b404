import { expect, test } from 'vitest'
import { discoverResources } from '@sallyport/wire/entities/analytics-kinds.ts'
import { commandOf, countdown, signCommand } from './command.ts'
import { kinds, stepsOf } from './kinds.ts'
import { covers, matchersOf, whyNotMatchers } from './labels.ts'
import { scriptForms } from './script-forms.ts'
import { filterTiles, missingRule, tileOf, tiles } from './tiles.ts'
import type { KindFilter } from './tiles.ts'

const names = (text: string, kind: KindFilter = 'all') => filterTiles(tiles, { text, kind }).map(({ id }) => id)

test('tiles are found by all words, in name or keywords, and by what they are', () => {
  expect(names('')).toEqual(tiles.map(({ id }) => id))
  expect(names('LINUX aws')).toEqual(['amazon-linux'])
  expect(names('openssh')).toEqual(['openssh'])
  expect(names('windows')).toEqual(['rdp'])
  expect(names('mainframe')).toEqual([])
  expect(names('', 'database')).toEqual(['postgres', 'mysql'])
  expect(names('mariadb')).toEqual(['mysql'])
  expect(tileOf('nothing')).toBeUndefined()
})
test('who may not make tokens chooses nothing, who may not register databases no database', () => {
  const may = { list: true, read: true, create: true, edit: true, remove: true, use: true }
  const not = { ...may, create: false }
  const missing = (kind: 'server' | 'database', tokens: typeof may, db: typeof may) => missingRule({ kind }, { tokens, db })
  expect([missing('server', may, not), missing('database', may, may)]).toEqual([undefined, undefined])
  expect([missing('server', not, may), missing('database', not, not), missing('database', may, not)]).toEqual([
    'token: create',
    'token: create',
    'db: create',
  ])
})
test('the command fetches the script of this console with the token', () => {
  const at = { baseUrl: 'https://p.example.com', token: 'ab', script: 'install-openssh' } as const
  expect(commandOf({ ...at, pin: '' })).toBe('sudo bash -c "$(curl -fsSL https://p.example.com/scripts/ab/install-openssh.sh)"')
  expect(commandOf({ ...at, pin: 'sha256//AB=' })).toBe(
    `sudo bash -c "$(curl -fsSLk --pinnedpubkey 'sha256//AB=' https://p.example.com/scripts/ab/install-openssh.sh)"`,
  )
})
test('what the machine is to reach stands in the address of the script, and nothing of it is for the shell', () => {
  const at = { baseUrl: 'https://p.example.com', token: 'ab', script: 'install-app', pin: '' } as const
  const command = commandOf({ ...at, query: { name: 'wiki', uri: "http://a:1/b?c'$(id)" } })
  expect(command).toBe(
    `sudo bash -c "$(curl -fsSL 'https://p.example.com/scripts/ab/install-app.sh?name=wiki&uri=http%3A%2F%2Fa%3A1%2Fb%3Fc%27%24(id)')"`,
  )
  expect(signCommand({ ...at, pin: 'sha256//A=', cluster: 'c', host: 'db.example.com' })).toBe(
    `curl -fsSLk --pinnedpubkey 'sha256//A=' https://p.example.com/v1/webapi/sites/c/sign/db -H 'Authorization: Bearer ab' -H 'Content-Type: application/json' -d '{"hostname":"db.example.com","ttl":"8760h"}' | tar -xz`,
  )
})
test('what is left of a token counts down to zero', () => {
  expect([countdown(13_632_000), countdown(59_999), countdown(0), countdown(-5)]).toEqual(['03:47:12', '00:00:59', '00:00:00', '00:00:00'])
})
test('labels of an agent have to be those of the database, or everything', () => {
  const labels = [
    { name: 'env', value: 'prod' },
    { name: 'team', value: 'a' },
  ]
  expect(matchersOf(['env=prod', 'env=dev', '*'])).toEqual({ env: ['prod', 'dev'], '*': ['*'] })
  expect(covers({ env: ['dev', 'prod'] }, labels)).toBe(true)
  expect(covers({ env: ['*'], '*': ['*'] }, labels)).toBe(true)
  expect([covers({}, labels), covers({ env: ['prod'], zone: ['x'] }, labels), covers({ env: ['dev'] }, labels)]).toEqual([
    false,
    false,
    false,
  ])
  expect(whyNotMatchers([], labels)).toBe('Enter at least one label, or *')
  expect(whyNotMatchers(['env='], labels)).toBe('Enter both key and value')
  expect(whyNotMatchers(['env=dev'], labels)).toBe('An agent with these labels would not serve the database, which has env=prod, team=a')
  expect(whyNotMatchers(['*'], [])).toBeUndefined()
})
test('every kind begins with a choice and ends with what to do next; fields of commands take what the scripts take', () => {
  for (const { steps } of Object.values(kinds)) expect([steps[0], steps.at(-1)]).toEqual(['select', 'finish'])
  expect(stepsOf(undefined)).toEqual(kinds.server.steps)
  const whyNot = (id: string, field: string, value: string) =>
    scriptForms(tileOf(id) ?? { id, script: 'install-node' })
      .fields.find(({ name }) => name === field)
      ?.whyNot(value)
  expect(whyNot('web-app', 'name', 'wiki')).toBeUndefined()
  expect(whyNot('web-app', 'name', 'Wiki')).toContain('lowercase')
  expect(whyNot('web-app', 'uri', 'http://localhost:3000/x')).toBeUndefined()
  expect(whyNot('web-app', 'uri', 'tcp://localhost:3000')).toContain('full address')
  expect(whyNot('tcp-app', 'uri', 'tcp://localhost:3000')).toBeUndefined()
  expect(whyNot('tcp-app', 'uri', 'tcp://localhost')).toContain('port')
  expect([whyNot('rdp', 'addr', '10.0.0.9'), whyNot('rdp', 'addr', '[::1]:3390')]).toEqual([undefined, undefined])
  expect(whyNot('rdp', 'addr', 'rdp://x')).toContain('host')
})
test('R9-060: every tile is reported as the kind of resource that it enrolls', () => {
  const resource: Record<string, string> = {
    server: 'SERVER',
    'web-app': 'APPLICATION_HTTP',
    'tcp-app': 'APPLICATION_TCP',
    postgres: 'DATABASE_POSTGRES_SELF_HOSTED',
    mysql: 'DATABASE_MYSQL_SELF_HOSTED',
    kubernetes: 'KUBERNETES',
    desktop: 'WINDOWS_DESKTOP',
  }
  for (const { id, kind, reported } of tiles) {
    expect(reported, id).toBe(`DISCOVER_RESOURCE_${resource[id] ?? resource[kind]}`)
    expect(discoverResources).toContain(reported)
  }
})
