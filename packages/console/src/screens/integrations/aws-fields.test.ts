import { enrollEventKinds } from '@sallyport/wire/entities/integration.ts'
import { expect, test } from 'vitest'
import { accountOf, configureCommand, engineChoices, regions, whyNotIssuer } from './aws-fields.ts'
import { awsRegion } from '../../parts/validators/aws.ts'
import { tiles, wordOf } from './kinds.ts'

test('every region to choose from is one; an ARN tells its account', () => {
  expect(regions.filter((region) => awsRegion(region) !== undefined)).toEqual([])
  expect(accountOf('arn:aws:iam::123456789012:role/r')).toBe('123456789012')
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
  expect(kinds).toEqual(['AWS_OIDC', 'SLACK', 'MATTERMOST', 'EMAIL'].map((kind) => `INTEGRATION_ENROLL_KIND_${kind}`))
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
