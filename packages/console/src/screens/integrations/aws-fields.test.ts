import { enrollEventKinds } from '@sallyport/wire/entities/integration.ts'
import { expect, test } from 'vitest'
import {
  accountOf,
  configureCommand,
  engineChoices,
  regions,
  whyNotIssuer,
  whyNotName,
  whyNotRegion,
  whyNotRoleArn,
  whyNotRoleName,
} from './aws-fields.ts'
import { tiles, wordOf } from './kinds.ts'

test('names are lowercase letters, digits and dashes, and each is there once', () => {
  const names = ['aws', 'aws-1', 'ab', 'Aws', 'aws_1', '-aws', 'aws-', 'x'.repeat(63), 'x'.repeat(64), 'taken']
  expect(names.filter((name) => whyNotName(name, new Set(['taken'])) === undefined)).toEqual(['aws', 'aws-1', 'x'.repeat(63)])
  expect(whyNotName('taken', new Set(['taken']))).toBe('An integration with this name exists')
  expect(['r', 'a+b=c,d.e@f-g_h', '', 'a b', 'a/b', "a'b", 'x'.repeat(65)].map((role) => whyNotRoleName(role) === undefined)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})
test('the ARN is that of the role, in any partition and under any path', () => {
  for (const arn of [
    'arn:aws:iam::123456789012:role/r',
    'arn:aws-us-gov:iam::123456789012:role/team/x/r',
    ' arn:aws-cn:iam::123456789012:role/r ',
  ])
    expect(whyNotRoleArn(arn, 'r'), arn).toBeUndefined()
  for (const arn of [
    'arn:aws:iam::123456789012:role/other',
    'arn:aws:iam::12345678901:role/r',
    'arn:aws:iam::123456789012:user/r',
    'arn:azure:iam::123456789012:role/r',
    'arn:aws:iam::123456789012:role/r x',
    '',
  ])
    expect(whyNotRoleArn(arn, 'r'), arn).toBe('This is not the ARN of that role')
  expect(accountOf('arn:aws:iam::123456789012:role/r')).toBe('123456789012')
})
test('regions are written as AWS does: nothing else becomes part of a host name', () => {
  expect(regions.filter((region) => whyNotRegion(region) !== undefined)).toEqual([])
  for (const region of ['us-gov-west-1', 'us-isob-east-1', 'eusc-de-east-1']) expect(whyNotRegion(region)).toBeUndefined()
  for (const region of ['us-east', 'us-east-1.example.com', 'us-east-1/', 'US-EAST-1', '']) expect(whyNotRegion(region)).toBeDefined()
})
test('AWS trusts a cluster at a public https address only', () => {
  expect(whyNotIssuer('https://access.example.com')).toBeUndefined()
  for (const origin of ['http://localhost:3080', 'https://access.example.com:3080']) expect(whyNotIssuer(origin)).toBeDefined()
})
test('the command fetches the script, and nothing in it means anything to a shell', () => {
  expect(configureCommand('https://p.example.com', 'aws', 'a+b=c,d.e@f')).toBe(
    `bash -c "$(curl -fsSL 'https://p.example.com/v1/webapi/scripts/integrations/configure/awsoidc-idp.sh?integrationName=aws&role=a%2Bb%3Dc%2Cd.e%40f')"`,
  )
})
test('R9-061: every tile maps to one kind of what is measured', () => {
  const kinds = tiles.map(({ type }) => enrollEventKinds[type])
  expect(kinds).toEqual(['INTEGRATION_ENROLL_KIND_AWS_OIDC'])
  expect(new Set(kinds).size).toBe(tiles.length)
})
test('engines of a choice run in one way; plugins keep the way they spell themselves', () => {
  expect(Object.values(engineChoices).map(({ rdsType, engines }) => `${rdsType} ${engines.join('+')}`)).toEqual([
    'instance postgres',
    'instance mysql+mariadb',
    'cluster aurora-postgresql',
    'cluster aurora+aurora-mysql',
  ])
  const plugin = (kind: string) => wordOf({ resourceType: 'plugin', kind })
  expect([plugin('slack'), plugin('openai'), wordOf({ resourceType: 'integration', kind: 'aws-oidc' })]).toEqual([
    'Slack',
    'OpenAI',
    'AWS, OpenID Connect',
  ])
})
