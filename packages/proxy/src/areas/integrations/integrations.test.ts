/** Integrations over the wire, against a stand-in for Amazon that verifies the cluster's tokens by its published documents. */
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { startAws } from '@sallyport/testkit/targets/aws.ts'
import type { AwsStandIn } from '@sallyport/testkit/targets/aws.ts'
import { awsDatabases, openidConfiguration } from '@sallyport/wire/calls/integrations.ts'
import { toIntegration } from '@sallyport/wire/entities/integration.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseDocuments } from '../../core/resources/documents.ts'
import { requireKind } from '../../core/resources/managed-kinds.ts'

let api: ProxyApi
let aws: AwsStandIn
let alice: ApiBrowser
let dan: ApiBrowser
const path = '/v1/webapi/sites/sallyport/integrations'
const roleArn = 'arn:aws:iam::123456789012:role/sallyport'
const one = (name: string) => ({ name, subKind: 'aws-oidc', awsoidc: { roleArn } })
const allow = async (name: string, verbs: string[]): Promise<void> => {
  await api.context.roles.create({
    metadata: { name: `integrations-${name}` },
    spec: { allow: { rules: [{ resources: ['integration'], verbs: verbs as ['use'] }] } },
  })
  const { metadata, spec } = await api.context.users.require('dan')
  await api.context.users.update({ metadata, spec: { ...spec, roles: [`integrations-${name}`] } })
}

beforeAll(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
  dan = await signedIn(api, 'dan')
  aws = await startAws({
    role: { arn: roleArn, issuer: api.origin, audience: 'discover.teleport', subject: 'system:proxy' },
    read: async (url) => (await api.browser().send('GET', new URL(url).pathname)).body,
    now: api.clock.now,
    instances: [
      {
        name: 'orders',
        engine: 'postgres',
        address: 'orders.rds.example.com',
        tags: { team: 'shop', region: 'nowhere', 'teleport.internal/x': 'y' },
      },
      { name: 'new', engine: 'postgres' },
      { name: 'wiki', engine: 'mariadb', address: 'wiki.rds.example.com' },
    ],
    clusters: [{ name: 'sales', engine: 'aurora-mysql', address: 'sales.rds.example.com' }],
  })
  for (const service of ['STS', 'RDS']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, aws.origin)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await aws[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

test('R7-079: POST answers the item; a name that is taken is refused, and what is missing is named', async () => {
  expect(await alice.send('POST', path, one('aws1'))).toMatchObject({ status: 200, body: one('aws1') })
  const refusals: [object, number, string][] = [
    [one('aws1'), 409, 'failed to create Integration ("aws1" already exists), please use another name'],
    [{ ...one('x'), name: '' }, 400, 'missing integration name'],
    [{ ...one('x'), subKind: '' }, 400, 'missing subKind'],
    [{ name: 'x', subKind: 'aws-oidc' }, 400, 'missing awsoidc.roleArn field'],
    [{ ...one('x'), subKind: 'github' }, 400, 'subKind "github" is not supported; use aws-oidc'],
    [{ ...one('x'), awsoidc: { roleArn: 'arn:aws:iam::123456789012:user/x' } }, 400, 'write the ARN of an IAM role'],
    [{ ...one('x'), name: '../x' }, 400, 'use at most 63 letters'],
  ]
  for (const [body, status, message] of refusals) {
    const answer = await alice.send('POST', path, body)
    expect([answer.status, answer.message.includes(message)], answer.message).toEqual([status, true])
  }
  expect(await api.events('IG001I')).toMatchObject([
    { event: 'integration.create', user: 'alice', name: 'aws1', sub_kind: 'aws-oidc', role_arn: roleArn },
  ])
})
test('R7-078: the list answers items and nextKey, page by page', async () => {
  for (const name of ['aws2', 'aws3']) await alice.send('POST', path, one(name))
  const first = (await alice.send('GET', `${path}?limit=2`)).body
  expect(first).toEqual({ items: [one('aws1'), one('aws2')], nextKey: 'aws2' })
  expect((await alice.send('GET', `${path}?limit=2&startKey=aws2`)).body).toEqual({ items: [one('aws3')], nextKey: '' })
  expect(await alice.send('GET', `${path}?limit=-1`)).toMatchObject({ status: 400 })
  expect(await dan.send('GET', path)).toMatchObject({ status: 403 })
})
test('R7-080: by name they are read, changed and removed', async () => {
  const other = 'arn:aws-us-gov:iam::210987654321:role/team/other'
  expect((await alice.send('PUT', `${path}/aws2`, { subKind: 'aws-oidc', awsoidc: { roleArn: other } })).body).toEqual({
    ...one('aws2'),
    awsoidc: { roleArn: other },
  })
  expect((await alice.send('GET', `${path}/aws2`)).body).toMatchObject({ awsoidc: { roleArn: other } })
  expect(await alice.send('PUT', `${path}/aws2`, { github: {} })).toMatchObject({
    status: 400,
    message: expect.stringContaining('missing awsoidc.roleArn field'),
  })
  const asOther = { subKind: 'github', awsoidc: { roleArn } }
  expect(await alice.send('PUT', `${path}/aws2`, asOther)).toMatchObject({ status: 400, message: expect.stringContaining('subKind: ') })
  expect(await alice.send('DELETE', `${path}/aws2`)).toMatchObject({ status: 200, body: { message: 'ok' } })
  for (const answer of [
    await alice.send('GET', `${path}/aws2`),
    await alice.send('PUT', `${path}/aws2`, { awsoidc: { roleArn } }),
    await alice.send('DELETE', `${path}/aws2`),
  ])
    expect(answer).toMatchObject({ status: 404, message: `integration "aws2" doesn't exist` })
  expect(await api.events('IG002I')).toMatchObject([{ user: 'alice', name: 'aws2', role_arn: other }])
  expect(await api.events('IG003I')).toMatchObject([{ user: 'alice', name: 'aws2' }])
})
test('R6-028: who may list may not create; who may create may', async () => {
  await allow('listed', ['list', 'read'])
  expect((await dan.send('GET', path)).status).toBe(200)
  expect(await dan.send('POST', path, one('dans'))).toMatchObject({
    status: 403,
    message: 'access denied to perform action "create" on "integration"',
  })
  await allow('created', ['create'])
  expect((await dan.send('POST', path, one('dans'))).status).toBe(200)
  await alice.send('DELETE', `${path}/dans`)
})
test('R7-081: databases of the account are listed with a token that the published keys verify, page by page', async () => {
  const list = async (body: object, who = alice) => who.send('POST', `${path}/aws-oidc/aws1/databases`, { region: 'eu-west-1', ...body })
  const first = await list({ rdsType: 'instance', engines: ['postgres'] })
  expect(first).toMatchObject({ status: 200 })
  const { databases, nextToken } = awsDatabases.out.parse(first.body)
  expect(databases).toMatchObject([
    {
      name: 'orders',
      protocol: 'postgres',
      type: 'rds',
      uri: 'orders.rds.example.com:5432',
      hostname: 'orders.rds.example.com',
      aws: {
        region: 'eu-west-1',
        account_id: '123456789012',
        rds: { instance_id: 'orders', cluster_id: '', resource_id: 'db-ORDERS', iam_auth: true },
        status: 'available',
      },
    },
  ])
  const labels = Object.fromEntries(databases[0]?.labels.map(({ name, value }) => [name, value]) ?? [])
  expect(labels).toMatchObject({ team: 'shop', region: 'eu-west-1', engine: 'postgres', 'account-id': '123456789012', 'vpc-id': 'vpc-1' })
  expect(Object.keys(labels)).not.toContain('teleport.internal/x')
  // One that is being made has no address.
  expect((await list({ rdsType: 'instance', engines: ['postgres'], nextToken })).body).toEqual({ databases: [], nextToken: '' })
  expect((await list({ rdsType: 'instance', engines: ['mysql', 'mariadb'] })).body).toMatchObject({
    databases: [{ name: 'wiki', protocol: 'mysql' }],
  })
  expect((await list({ rdsType: 'cluster', engines: ['aurora', 'aurora-mysql'] })).body).toMatchObject({
    databases: [
      {
        name: 'sales',
        protocol: 'mysql',
        uri: 'sales.rds.example.com:3306',
        aws: { rds: { cluster_id: 'sales', resource_id: 'cluster-SALES' } },
      },
    ],
  })
  expect(aws.believed[0]).toMatchObject({ iss: api.origin, sub: 'system:proxy', aud: 'discover.teleport', obo: 'user:alice' })
  expect(new Set(aws.believed.map(({ jti }) => jti)).size).toBe(aws.believed.length)
  expect((await api.events('IG004I'))[0]).toMatchObject({ user: 'alice', name: 'aws1', action: 'listing databases', region: 'eu-west-1' })

  for (const body of [
    { rdsType: 'instance', engines: [] },
    { rdsType: 'table', engines: ['postgres'] },
    { engines: ['postgres'] },
    { rdsType: 'instance' },
    { rdsType: 'instance', engines: ['postgres'], region: 'eu-west-1.evil.example.com/' },
    { rdsType: 'instance', engines: ['postgres'], region: undefined },
  ])
    expect((await list(body)).status, JSON.stringify(body)).toBe(400)
  await allow('not-used', ['list', 'read', 'create', 'update', 'delete'])
  expect(await list({ rdsType: 'instance', engines: ['postgres'] }, dan)).toMatchObject({ status: 403 })
})
test('what Amazon refuses is told with what to do', async () => {
  const list = (name: string) =>
    alice.send('POST', `${path}/aws-oidc/${name}/databases`, { rdsType: 'instance', engines: ['postgres'], region: 'us-east-1' })
  aws.mayList = false
  expect(await list('aws1')).toMatchObject({
    status: 403,
    message: expect.stringMatching(/rds:DescribeDBInstances and .* AWS said: .*not authorized/),
  })
  aws.mayList = true
  await alice.send('PUT', `${path}/aws3`, { awsoidc: { roleArn: `${roleArn}-other` } })
  expect(await list('aws3')).toMatchObject({
    status: 403,
    message: expect.stringContaining(`AWS did not let this cluster take on ${roleArn}-other`),
  })
  expect(await list('nothing')).toMatchObject({ status: 404 })
  vi.stubEnv('AWS_ENDPOINT_URL_STS', 'http://127.0.0.1:9')
  expect(await list('aws1')).toMatchObject({ status: 504 })
  vi.stubEnv('AWS_ENDPOINT_URL_STS', aws.origin)
})
test('a check tells as whom Amazon lets the cluster in', async () => {
  const ping = (body: object) => alice.send('POST', `${path}/aws-oidc/aws1/ping`, body)
  expect(await ping({})).toMatchObject({
    status: 200,
    body: {
      accountId: '123456789012',
      arn: 'arn:aws:sts::123456789012:assumed-role/sallyport/sallyport-aws1',
      userId: 'AROA1:sallyport-aws1',
    },
  })
  expect(await ping({ roleArn })).toMatchObject({ status: 200 })
  expect(await ping({ roleArn: `${roleArn}-other` })).toMatchObject({ status: 400 })
})
test('discovery names the issuer and its keys; those of applications are others', async () => {
  const nobody = api.browser()
  const found = await nobody.send('GET', openidConfiguration.path)
  expect(found.body).toMatchObject({
    issuer: api.origin,
    jwks_uri: `${api.origin}/.well-known/jwks-oidc`,
    id_token_signing_alg_values_supported: ['RS256'],
  })
  const keysOf = async (name: string) => (await nobody.send('GET', `/.well-known/${name}`)).body as { keys: { n: string }[] }
  const [ours, apps] = [await keysOf('jwks-oidc'), await keysOf('jwks.json')]
  expect(ours).toMatchObject({ keys: [{ kty: 'RSA', alg: 'RS256', use: 'sig' }] })
  expect(JSON.stringify(ours)).not.toMatch(/"(d|p|q)"/)
  expect(ours.keys[0]?.n).not.toBe(apps.keys[0]?.n)
})
test('they are documents: applied, read back, replaced and removed, with the same events', async () => {
  const kind = requireKind(api.context.managedKinds, 'integrations')
  const text = `kind: integration\nsub_kind: aws-oidc\nversion: v1\nmetadata:\n  name: kept\nspec:\n  aws_oidc:\n    role_arn: ${roleArn}\n`
  const [document] = parseDocuments(text)
  if (!document) throw new Error('no document')
  expect(await kind.apply(document, { force: false, by: 'carol' })).toBe('created')
  await expect(kind.apply(document, { force: false, by: 'carol' })).rejects.toThrow('use --force')
  expect(await kind.apply(document, { force: true, by: 'carol' })).toBe('replaced')
  const [again] = parseDocuments(await kind.read('kept', false))
  expect(again).toMatchObject({ kind: 'integration', subKind: 'aws-oidc', name: 'kept', spec: { aws_oidc: { role_arn: roleArn } } })
  await kind.remove('kept', 'carol')
  expect((await api.events('IG001I')).at(-1)).toMatchObject({ user: 'carol', name: 'kept' })
  const [other] = parseDocuments(text.replace('aws-oidc', 'github'))
  if (!other) throw new Error('no document')
  await expect(kind.apply(other, { force: false, by: 'carol' })).rejects.toThrow('aws-oidc only')
})
test('what a peer leaves out is taken as absent', () => {
  expect(toIntegration({ name: 'a', subKind: 'github' })).toEqual({ name: 'a', subKind: 'github', roleArn: undefined })
})
