import { X509Certificate } from 'node:crypto'
import { tmpdir } from 'node:os'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabaseAuthority } from '../../core/authorities/database-authority.ts'
import { createMasterKey } from '../../core/authorities/master-key.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { filesOf } from '@sallyport/testkit/targets/database.ts'
import { databaseIamPolicyWire, databaseServiceWire, databaseWire } from '@sallyport/wire/entities/database.ts'
import { pageOf } from '@sallyport/wire/entities/list.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

let api: ProxyApi
let alice: ApiBrowser
let bob: ApiBrowser
let dan: ApiBrowser
const path = '/v1/webapi/sites/sallyport/databases'
beforeAll(async () => {
  api = await openProxyApi()
  for (const [name, content] of Object.entries(roles)) await api.context.roles.create({ metadata: { name }, spec: content })
  alice = await signedIn(api, 'alice')
  bob = await signedIn(api, 'bob')
  dan = await signedIn(api, 'dan')
  const give = async (name: string, more: readonly string[]) => {
    const { metadata, spec } = await api.context.users.require(name)
    await api.context.users.update({ metadata, spec: { ...spec, roles: [...more] } })
  }
  await give('bob', ['prod-reader'])
  await give('alice', ['editor', 'access', 'auditor', 'prod-reader'])
})
afterAll(() => api[Symbol.asyncDispose]())
const roles = {
  'prod-reader': { allow: { db_labels: { env: 'prod' }, db_users: ['reader'], db_names: ['*'] } },
}
const add = (name: string, more: object = {}) =>
  alice.send('POST', path, {
    name,
    protocol: 'postgres',
    uri: `${name}.example.com:5432`,
    labels: [{ name: 'env', value: 'prod' }],
    ...more,
  })
const list = async (query = '', who = bob) => pageOf(databaseWire).parse((await who.send('GET', `${path}?search=-list${query}`)).body)
const names = async (query: string, who = bob) => (await list(query, who)).items.map(({ name }) => name)
const errorOf = ({ status, message }: Answer) => ({ status, message })

describe('lists', () => {
  beforeAll(async () => {
    await add('a-list', {
      labels: [
        { name: 'env', value: 'prod' },
        { name: 'teleport.hidden/x', value: 'y' },
      ],
    })
    await add('b-list', { protocol: 'mysql' })
    await add('c-list', { awsRds: { accountId: '123456789012', resourceId: 'db-ABC' } })
    await add('d-list', { labels: [{ name: 'env', value: 'dev' }] })
  })

  test('R7-038: databases are searched, queried, sorted, and come page by page', async () => {
    expect(await names('')).toEqual(['a-list', 'b-list', 'c-list'])
    expect(await names('', alice)).toEqual(['a-list', 'b-list', 'c-list', 'd-list'])
    expect(await names('', dan)).toEqual([])
    expect(await names('&sort=name:desc&limit=2')).toEqual(['c-list', 'b-list'])
    const { startKey, totalCount } = await list('&sort=name:desc&limit=2')
    expect(totalCount).toBe(3)
    expect(await names(`&sort=name:desc&limit=2&startKey=${startKey}`)).toEqual(['a-list'])
    expect(await names('&sort=type:asc')).toEqual(['c-list', 'b-list', 'a-list'])
    const searched = async (query: string) =>
      pageOf(databaseWire)
        .parse((await bob.send('GET', `${path}?${query}`)).body)
        .items.map(({ name }) => name)
    expect(await searched('search=mysql')).toEqual(['b-list'])
    expect(await searched('search=rds')).toEqual(['c-list'])
    expect(await searched(`query=${encodeURIComponent('name == "b-list"')}`)).toEqual(['b-list'])
    expect(await searched(`query=${encodeURIComponent('resource.spec.protocol == "mysql"')}`)).toEqual(['b-list'])
    expect(errorOf(await bob.send('GET', `${path}?sort=uri:asc`))).toEqual({
      status: 501,
      message: 'sorting by field "uri" for resource "db" is not supported',
    })
    expect((await bob.send('GET', `${path}?searchAsRoles=yes`)).status).toBe(200)
  })
  test('an item has the shape of the contract: users and names of the caller, Amazon’s facts only where there are some', async () => {
    const { items } = await list('')
    expect(items[0]).toEqual({
      name: 'a-list',
      desc: '',
      protocol: 'postgres',
      type: 'self-hosted',
      labels: [{ name: 'env', value: 'prod' }],
      hostname: 'a-list.example.com',
      uri: 'a-list.example.com:5432',
      database_users: ['reader'],
      database_names: ['*'],
      supports_interactive: true,
    })
    expect(items[2]).toMatchObject({
      type: 'rds',
      supports_interactive: false,
      aws: { region: '', account_id: '123456789012', rds: { resource_id: 'db-ABC', iam_auth: false } },
    })
  })
  test('R7-046: one database is read by its name; one that is unknown, or hidden, answers 404', async () => {
    expect(await bob.send('GET', `${path}/b-list`)).toMatchObject({ status: 200, body: { name: 'b-list', protocol: 'mysql' } })
    for (const name of ['nothing', 'd-list'])
      expect(errorOf(await bob.send('GET', `${path}/${name}`))).toEqual({ status: 404, message: `database "${name}" not found` })
  })
  test('R7-049: what an Amazon account has to allow; what is not known is left to fill in, and databases hosted elsewhere have no such policy', async () => {
    const aws = { region: 'cn-north-1', account_id: '123456789012', rds: { resource_id: 'db-ABC' } }
    await api.context.databases.put(
      { metadata: { name: 'whole-list', labels: { env: 'prod' } }, spec: { protocol: 'postgres', uri: 'h:5432', aws } },
      'alice',
    )
    const policyOf = async (name: string): Promise<unknown> => {
      const { body } = await bob.send('GET', `${path}/${name}/iam/policy`)
      const { type, aws: told } = databaseIamPolicyWire.parse(body)
      return [type, JSON.parse(told.policy_document), told.placeholders]
    }
    const statement = (resource: string) => ({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'rds-db:connect', Resource: resource }],
    })
    expect(await policyOf('whole-list')).toEqual(['aws', statement('arn:aws-cn:rds-db:cn-north-1:123456789012:dbuser:db-ABC/*'), undefined])
    expect(await policyOf('c-list')).toEqual([
      'aws',
      statement('arn:{partition}:rds-db:{region}:123456789012:dbuser:db-ABC/*'),
      ['{partition}', '{region}'],
    ])
    await api.context.databases.remove('whole-list', 'alice')
    expect((await bob.send('GET', `${path}/a-list/iam/policy`)).status).toBe(400)
    expect((await bob.send('GET', `${path}/d-list/iam/policy`)).status).toBe(404)
  })
  test('R7-045: services are the agents that serve databases, with the labels of what they serve', async () => {
    const host = { id: 'b0000000-0000-4000-8000-000000000001', labels: {}, roles: ['Node', 'Db'] }
    const announced = (name: string, env: string) => ({
      kind: 'db' as const,
      name,
      description: '',
      labels: { env },
      uri: '127.0.0.1:5432',
      spec: { protocol: 'postgres' },
    })
    await api.context.databases.announce(announced('one-by-agent', 'prod'), host, api.clock.now() + 60_000)
    await api.context.databases.announce(announced('two-by-agent', 'dev'), host, api.clock.now() + 60_000)
    const services = async (who: ApiBrowser) =>
      pageOf(databaseServiceWire).parse((await who.send('GET', '/v1/webapi/sites/sallyport/databaseservices')).body)
    expect(await services(alice)).toEqual({
      items: [{ name: host.id, resource_matchers: [{ labels: { env: ['prod'] } }, { labels: { env: ['dev'] } }] }],
      startKey: '',
      totalCount: 1,
    })
    expect((await bob.send('GET', '/v1/webapi/sites/sallyport/databaseservices')).status).toBe(403)
    const asked = (query: string) => alice.send('GET', `/v1/webapi/sites/sallyport/databaseservices?${query}`)
    expect(await asked(`query=name == "${host.id}"`)).toMatchObject({ status: 200, body: { totalCount: 1 } })
    expect(await asked('query=exists(labels.env)')).toMatchObject({ status: 200, body: { totalCount: 0 } })
    expect(errorOf(await asked('query=foo'))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^failed to parse predicate expression: identifier foo is not defined/),
    })
    expect(errorOf(await asked('sort=name:asc'))).toEqual({
      status: 501,
      message: 'sorting by field "name" for resource "db_service" is not supported',
    })
    expect(errorOf(await alice.send('PUT', `${path}/one-by-agent`, { uri: 'x:1' }))).toMatchObject({ status: 400 })
  })
})

describe('what administrators say', () => {
  test('R7-048: a database is created at both addresses, under one name; the log has it', async () => {
    expect(await alice.send('POST', `${path}/named`, { name: 'named', protocol: 'postgres', uri: 'h:5432' })).toMatchObject({
      status: 200,
      body: { name: 'named', uri: 'h:5432' },
    })
    expect(errorOf(await alice.send('POST', `${path}/other`, { name: 'named', protocol: 'postgres', uri: 'h:5432' }))).toMatchObject({
      status: 400,
    })
    expect(errorOf(await add('named'))).toEqual({
      status: 409,
      message: 'failed to create database ("named" already exists), please use another name',
    })
    expect(await api.events('TDB03I')).toContainEqual(
      expect.objectContaining({ event: 'db.create', user: 'alice', name: 'named', db_protocol: 'postgres', db_uri: 'h:5432' }),
    )
  })
  test('what is missing is named', async () => {
    for (const [body, message] of [
      [{ protocol: 'postgres', uri: 'h:1' }, 'missing database name'],
      [{ name: 'x', uri: 'h:1' }, 'missing protocol'],
      [{ name: 'x', protocol: 'postgres' }, 'missing uri'],
      [{ name: 'x', protocol: 'postgres', uri: 'h:1', awsRds: { accountId: '1' } }, 'missing aws rds field resource id'],
    ] as const)
      expect(errorOf(await alice.send('POST', path, body))).toEqual({ status: 400, message })
    expect((await alice.send('POST', path, { name: 'x', protocol: 'smalltalk', uri: 'h:1' })).message).toContain(
      'spec.protocol: use one of',
    )
    expect((await alice.send('POST', path, { name: 'x', protocol: 'postgres', uri: 'nowhere' })).message).toContain('host:port')
  })
  test('nobody creates what they could not see, and only who may creates at all', async () => {
    const { metadata, spec } = await api.context.users.require('alice')
    await api.context.users.update({ metadata, spec: { ...spec, roles: ['editor', 'prod-reader'] } })
    expect(errorOf(await add('x', { labels: [{ name: 'env', value: 'dev' }] }))).toMatchObject({ status: 403 })
    await api.context.users.update({ metadata: { ...metadata, revision: '' }, spec })
    expect((await bob.send('POST', path, { name: 'x', protocol: 'postgres', uri: 'h:1' })).status).toBe(403)
  })
  test('R7-047: authority, labels, address and resource are changed; what is left out stays', async () => {
    await add('changed')
    const change = (body: object) => alice.send('PUT', `${path}/changed`, body)
    for (const nothing of [{}, { uri: '' }, { labels: null, awsRds: null, caCert: null }])
      expect(errorOf(await change(nothing))).toMatchObject({ status: 400 })
    expect(await change({ uri: 'elsewhere:6432', name: 'ignored', protocol: 'mysql' })).toMatchObject({
      status: 200,
      body: { name: 'changed', protocol: 'postgres', uri: 'elsewhere:6432', labels: [{ name: 'env', value: 'prod' }] },
    })
    expect(await change({ labels: [] })).toMatchObject({ body: { labels: [{ name: 'env', value: 'prod' }] } })
    expect(await change({ labels: [{ name: 'env', value: 'dev' }] })).toMatchObject({ body: { labels: [{ name: 'env', value: 'dev' }] } })
    expect((await change({ caCert: 'no certificate' })).message).toContain('caCert: ')
    const caCert = await api.context.databaseAuthority.certificate()
    expect((await change({ caCert: caCert + caCert })).message).toBe('caCert: write one certificate in PEM')
    expect((await change({ caCert })).status).toBe(200)
    expect(await change({ awsRds: { accountId: '1', resourceId: 'db-X' } })).toMatchObject({ body: { type: 'rds' } })
    expect((await api.context.databases.documents.require('changed')).spec).toMatchObject({ ca_cert: caCert, uri: 'elsewhere:6432' })
    expect((await alice.send('PUT', `${path}/nothing`, { uri: 'h:1' })).status).toBe(404)
    expect(await api.events('TDB04I')).toHaveLength(5)
  })
  test('R8-060: creating, changing and removing are in the audit log', async () => {
    await add('short-lived')
    await alice.send('PUT', `${path}/short-lived`, { uri: 'h:1' })
    await api.context.databases.remove('short-lived', 'alice')
    for (const code of ['TDB03I', 'TDB04I', 'TDB05I'])
      expect(await api.events(code)).toContainEqual(expect.objectContaining({ user: 'alice', name: 'short-lived' }))
    expect((await alice.send('GET', `${path}/short-lived`)).status).toBe(404)
  })
})

describe('certificates of servers', () => {
  const token = async (name: string, role: string) => {
    await api.context.joinTokens.create(
      { metadata: { name, expires: new Date(api.clock.now() + 60_000).toISOString() }, spec: { roles: [role] } },
      'alice',
    )
    return name
  }
  const sign = async (bearer: string | undefined, body: object, at = '/v1/webapi/sites/any/sign/db') => {
    const answer = await api.app.inject({
      method: 'POST',
      url: at,
      remoteAddress: `10.9.0.${(calls += 1)}`,
      headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
      payload: JSON.stringify(body),
    })
    return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload, text: answer.body }
  }
  let calls = 0

  test('R7-065: a join token with the role Db brings key, certificate and authority, once', async () => {
    const bearer = await token('db-1', 'Db')
    const answer = await sign(bearer, { hostname: 'pg.example.com,10.0.0.7', ttl: '2190h' })
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-disposition': 'attachment;filename="teleport_mTLS_pg.example.com.tar.gz"' },
    })
    const files = await filesOf(answer.bytes)
    expect(Object.keys(files)).toEqual(['server.crt', 'server.key', 'server.cas'])
    const certificate = new X509Certificate(files['server.crt'] ?? '')
    expect(certificate.checkHost('pg.example.com')).toBe('pg.example.com')
    expect(certificate.checkIP('10.0.0.7')).toBe('10.0.0.7')
    expect(certificate.verify(new X509Certificate(files['server.cas'] ?? '').publicKey)).toBe(true)
    expect(files['server.key']).toContain('PRIVATE KEY')
    expect(Math.round((certificate.validToDate.getTime() - api.clock.now()) / 3_600_000)).toBe(2190)
    expect((await sign(bearer, { hostname: 'pg.example.com' })).status).toBe(403)
    expect(await api.events('TC000I')).toContainEqual(
      expect.objectContaining({ cert_type: 'database', identity: { user: 'pg.example.com, 10.0.0.7' } }),
    )
  })
  test('without a token, or with one for something else, there is none; the token is gone either way', async () => {
    expect(await sign(undefined, { hostname: 'h' })).toMatchObject({ status: 403, text: expect.stringContaining('need auth') })
    const other = await token('node-1', 'Node')
    expect((await sign(other, { hostname: 'h' })).status).toBe(403)
    expect(await api.context.joinTokens.get(other)).toBeUndefined()
    for (const [index, body] of [{}, { hostname: 'a b' }, { hostname: '' }, { hostname: 'h', ttl: 'soon' }, { hostname: 7 }].entries()) {
      const bearer = await token(`db-bad-${index}`, 'Db')
      expect((await sign(bearer, body)).status, JSON.stringify(body)).toBe(400)
      expect(await api.context.joinTokens.get(bearer)).toBeUndefined()
    }
    expect((await sign(await token('db-2', 'Db'), { hostname: 'h' }, '/v1/webapi/sign/db')).status).toBe(200)
  })
  test('the authority is exported, and its key does not lie on the disk in clear', async () => {
    const exported = await bob.send('GET', '/v1/webapi/auth/export?type=db')
    expect(new X509Certificate(exported.text).subject).toBe('CN=sallyport databases')
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-db-authority-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const clock = { now: () => Date.now() }
    const open = (key: number) =>
      createDatabaseAuthority({ directory, clock, clusterName: 'x', masterKey: createMasterKey(Buffer.alloc(32, key)) })
    const first = await open(1).certificate()
    const file = readFileSync(join(directory, 'database-authority.json'), 'utf8')
    expect(file).not.toContain('PRIVATE')
    expect(await open(1).certificate()).toBe(first)
    await expect(open(2).certificate()).rejects.toThrow('belongs to another master key')
  })
})
