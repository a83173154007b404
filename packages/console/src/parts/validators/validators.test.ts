import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { labelsOf } from '../typed-labels.ts'
import { allowedRoleArn, connectorName, duration, limitDuration, noWildcard, roleName, tokenName } from './documents.ts'
import { appName, databaseName, host, hostAndPort, pem, port, resourceName, tcpAddress, webAddress } from './enrolment.ts'
import { awsRegion, awsRoleArn, iamRoleName, integrationName } from './aws.ts'
import { filePath, folder } from './files.ts'
import { labelKey, labelParts, labels } from './labels.ts'
import { login } from './login.ts'
import { roleSet, traitKey, traitValues, username } from './people.ts'
import { chatAddress, mailAddress, mailTls, slackToken } from './plugins.ts'
import type { Problem } from './problem.ts'
import { reason } from './reason.ts'
import { confirmPassword, deviceName, newPassword, oneTimeCode, password, required } from './sign-in.ts'
import { sshTarget } from './ssh-target.ts'

type Case = [check: (value: string) => Problem, good: readonly string[], bad: Readonly<Record<string, readonly string[]>>]
const taken = new Set(['taken'])
const long = 'x'.repeat(300)
const list = (text: string): string[] => text.split(' ').filter(Boolean)
const of = { username: 'margarethe.o', current: 'correct horse' }

/** By the name of the validator: values that are good, and those that are bad by what is said of them. */
const cases: Record<string, Case> = {
  required: [(value) => required(value, 'your username'), ['bob', ' b '], { 'Enter your username': ['', '  '] }],
  password: [(value) => password(value), ['secret', ' '], { 'Enter your password': [''] }],
  oneTimeCode: [
    oneTimeCode,
    ['123456', '12345678', '123 456'],
    { 'Enter the 6-digit code': ['', '12345', '123456789', '12345a', '１２３４５６'] },
  ],
  newPassword: [
    (value) => newPassword(value, of),
    ['battery staple'],
    {
      'Use at least 12 characters': ['', 'elevenchars'],
      'Do not use your username': ['margarethe.o'],
      'Choose a different password': ['correct horse'],
    },
  ],
  confirmPassword: [
    (value) => confirmPassword(value, 'battery staple'),
    ['battery staple'],
    { 'Passwords do not match': ['', 'Battery staple'] },
  ],
  deviceName: [
    (value) => deviceName(value, ['phone']),
    ['laptop'],
    { 'Name this device': [' '], 'Use at most 30 characters': ['x'.repeat(31)], 'That name is taken': ['phone', 'phone '] },
  ],
  username: [
    (value) => username(value, taken),
    ['bob', 'ann@corp.example', 'jürgen', '_x-y+z'],
    {
      'Enter a username': ['', ' '],
      'Use letters, digits and . _ - @ +': ['a b', 'a/b', 'a:b', 'a*', '../x', "o'neill", '<b>', 'a|b', '-x', long],
      'A user with this name exists': ['taken'],
    },
  ],
  roleSet: [(value) => roleSet(list(value)), ['access', 'access auditor'], { 'Choose at least one role': [''] }],
  traitKey: [
    (value) => traitKey(value, ['logins']),
    ['team'],
    { 'Enter a trait key': [' '], 'This key is already used': ['logins', ' logins '] },
  ],
  traitValues: [(value) => traitValues(list(value)), ['root'], { 'Add at least one value': [''] }],
  login: [login, ['root', 'ml-ops', 'ann@corp.example'], { 'Enter a valid login': ['', '-i', 'two words', 'a\tb'] }],
  sshTarget: [
    sshTarget,
    ['root@db-1', ' ssh ann@corp.example@10.0.0.1:22 ', 'root@[::1]:22'],
    { 'Use login@host': ['', 'db-1', 'root@', '@db-1', '-o@db-1', 'root@db 1', 'root@db-1:0', 'root@db-1:99999', 'root@a/b'] },
  ],
  labelKey: [
    (value) => labelKey(value, ['env']),
    ['team', 'aws/zone', '*', '{{internal.team}}', ''],
    { 'This label is already there': ['env'], 'Use letters, digits and / _ . : * -': ['a b', 'ä', 'a=b'] },
  ],
  labelParts: [
    (value) => labelParts(value.split('=')[0] ?? '', list(value.split('=')[1] ?? '')),
    ['env=prod', 'env=prod dev'],
    { 'Enter both key and value': ['=prod', 'env=', ''] },
  ],
  labels: [
    (value) => labels(list(value)),
    ['', 'env=prod', 'env=prod team=a=b'],
    {
      'Enter both key and value': ['env', '=x', 'env=prod team='],
      'Use letters, digits and / _ . : - in keys': ['ä=x', '*=x'],
      'This label is already there': ['env=a env=b'],
    },
  ],
  appName: [
    appName,
    ['wiki', 'a-1', 'x'.repeat(63)],
    {
      'Start with a lowercase letter; lowercase letters, digits, dashes': ['', 'Wiki', '1a', '-a', 'a-', 'a.b', 'x'.repeat(64)],
    },
  ],
  webAddress: [
    webAddress,
    ['http://localhost:3000', 'https://a.example/b'],
    { 'Enter a full address such as http://localhost:3000': ['', 'localhost:3000', 'tcp://a:1', "http://a'b", 'http://a/$(id)'] },
  ],
  tcpAddress: [
    tcpAddress,
    ['tcp://localhost:6379', 'tcp://10.0.0.9:22'],
    { 'Enter it with its port, such as tcp://localhost:6379': ['', 'tcp://localhost', 'http://a:1'] },
  ],
  databaseName: [
    databaseName,
    ['orders', 'Orders-2'],
    { 'Start with a letter; letters, digits, dashes': ['', '1a', 'a_b', 'a-', 'x'.repeat(64)] },
  ],
  resourceName: [resourceName, ['prod', '1.prod_eu'], { 'Use letters, digits, dots and dashes': ['', '-a', 'a b', long] }],
  host: [host, ['10.0.0.9', 'db.example.com', '[::1]'], { 'Enter a host': ['', 'tcp://a', 'a:1', 'a b'] }],
  hostAndPort: [
    hostAndPort,
    ['10.0.0.9', '10.0.0.9:3389', '[::1]:3390'],
    { 'Enter a host, or host:port': ['', 'rdp://x', 'a:', 'a:123456'] },
  ],
  port: [port, ['1', '65535'], { 'Enter a port from 1 to 65535': ['', '0', '65536', '22a', '-1'] }],
  pem: [
    pem,
    ['-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n'],
    { 'Paste a PEM certificate': ['', 'MII=', '-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----'] },
  ],
  integrationName: [
    (value) => integrationName(value, taken),
    ['aws', 'aws-1', 'x'.repeat(63)],
    {
      'Use 3-63 lowercase letters, digits, dashes': ['', 'ab', 'Aws', 'aws_1', '-aws', 'aws-', 'x'.repeat(64)],
      'An integration with this name exists': ['taken'],
    },
  ],
  iamRoleName: [
    iamRoleName,
    ['r', 'a+b=c,d.e@f-g_h'],
    { 'Use 1-64 letters, digits or + = , . @ _ -': ['', 'a b', 'a/b', "a'b", 'x'.repeat(65)] },
  ],
  awsRoleArn: [
    (value) => awsRoleArn(value, 'r'),
    ['arn:aws:iam::123456789012:role/r', 'arn:aws-us-gov:iam::123456789012:role/team/x/r', ' arn:aws-cn:iam::123456789012:role/r '],
    {
      'This is not the ARN of that role': [
        'arn:aws:iam::123456789012:role/other',
        'arn:aws:iam::12345678901:role/r',
        'arn:aws:iam::123456789012:user/r',
        'arn:azure:iam::123456789012:role/r',
        'arn:aws:iam::123456789012:role/r x',
        '',
      ],
    },
  ],
  awsRegion: [
    awsRegion,
    ['us-east-1', 'us-gov-west-1', 'us-isob-east-1', 'eusc-de-east-1'],
    { 'Enter a region, such as us-east-1': ['us-east', 'us-east-1.example.com', 'us-east-1/', 'US-EAST-1', ''] },
  ],
  chatAddress: [
    chatAddress,
    ['https://chat.example.com', 'http://localhost:8065', 'http://127.0.0.1:1/'],
    { 'Enter the address of the server, such as https://chat.example.com': ['', 'chat.example.com', 'http://chat.example.com', 'ftp://x'] },
  ],
  slackToken: [slackToken, ['xoxb-1-2', ' xoxe.xoxb-1 '], { 'Use the bot token, which begins with xoxb-': ['', 'xoxp-1', 'token'] }],
  mailAddress: [
    mailAddress,
    ['sallyport@example.com'],
    { 'Enter a mail address, such as sallyport@example.com': ['', 'example.com', 'a b@example.com'] },
  ],
  mailTls: [
    (host) => mailTls('none', host),
    ['localhost', '127.0.0.1', 'mail.localhost'],
    { 'Only for a server on the machine of this proxy': ['', 'mail.example.com', '10.0.0.1'] },
  ],
  duration: [
    duration,
    ['2h45m', '1h', '30m', '240h', '1.5h', '1h0m1s'],
    { 'Use a duration like 2h45m': ['', '0s', '0h0m', '5d', '5', 'h', '5m2h', '1h ', '-1h', 'tomorrow'] },
  ],
  limitDuration: [
    limitDuration,
    ['never', '0', '8h0m0s', '30m', '1d12h', '500ms'],
    { 'Use a duration like 2h45m': ['', '5', 'h', '1h ', '-1h', '1w', 'tomorrow'] },
  ],
  roleName: [
    (value) => roleName(value, ['taken']),
    ['access', 'db.reader@eu+1'],
    { 'There is a role of this name': ['taken'], 'Use letters, digits and . _ - @ +': ['', 'a b', 'a/b'] },
  ],
  connectorName: [
    (value) => connectorName(value, ['taken']),
    ['okta', 'Grüne Firma 2'],
    {
      'There is a connector of this name': ['taken'],
      'This name is reserved': ['local', 'passwordless', 'headless'],
      'Use letters, digits, spaces and . _ @ + -': ['', ' a', 'a/b', '<b>'],
    },
  ],
  tokenName: [
    (value) => tokenName(value, taken),
    ['0123456789abcdef', 'a(b)c!d,e.f-g+h/i'],
    {
      'There is a token with this name': ['taken'],
      'Use letters, digits and signs, without spaces and asterisks': ['', 'a b', 'a*b', 'ä'],
      'Use at least 16 characters: whoever guesses it can join': ['0123456789abcde'],
    },
  ],
  noWildcard: [noWildcard, ['root', 'dev-*'], { 'The wildcard * is not allowed here; name each one': ['*'] }],
  allowedRoleArn: [
    allowedRoleArn,
    ['arn:aws:iam::123456789012:role/dev-*', '{{internal.aws_role_arns}}'],
    { 'Enter a role ARN such as arn:aws:iam::123456789012:role/name': ['', 'dev', 'arn:aws:iam::1:role/r'] },
  ],
  filePath: [filePath, ['~/notes.txt', '/var/log/*.log'], { 'Enter a file path': ['', ' ', '~/', '/var/log/'] }],
  folder: [folder, ['~/', '/tmp'], { 'Enter a folder': ['', ' '] }],
  reason: [(value) => reason(value, true), ['the on-call rota'], { 'Say why you need this': ['', ' '] }],
}

test.each(Object.entries(cases))('R5-008: %s takes what is good and says one thing about each mistake', (_, [check, good, bad]) => {
  for (const value of good) expect(check(value), JSON.stringify(value)).toBeUndefined()
  for (const [message, values] of Object.entries(bad)) for (const value of values) expect(check(value), JSON.stringify(value)).toBe(message)
})

test('R5-008: every validator has its cases', async () => {
  const names: string[] = []
  for (const file of readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.test.ts')))
    names.push(...Object.keys((await import(/* @vite-ignore */ join(import.meta.dirname, file))) as Record<string, unknown>))
  expect(Object.keys(cases).toSorted()).toEqual(names.toSorted())
})

test('what a validator asks for follows where it is asked', () => {
  expect(required('', 'a database user', 'Choose')).toBe('Choose a database user')
  expect(password('', 'your current password')).toBe('Enter your current password')
  expect(awsRoleArn('')).toBe('Enter a role ARN such as arn:aws:iam::123456789012:role/name')
  expect(awsRoleArn('arn:aws:iam::123456789012:role/any')).toBeUndefined()
  expect(reason('', false)).toBeUndefined()
})

test('labels that are not whole are left out', () => {
  expect(labelsOf(['env=prod', 'team=a b', 'k=', 'x'])).toEqual([
    { name: 'env', value: 'prod' },
    { name: 'team', value: 'a b' },
  ])
})
