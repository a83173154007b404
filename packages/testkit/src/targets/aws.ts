/**
 * The part of Amazon that an integration meets: a token service that believes a token only after it has read the issuer's own
 * documents, and databases that it lists for whoever shows credentials of that service.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import { z } from 'zod'

export interface AwsDatabase {
  name: string
  engine: string
  /** Undefined while it is being made. */
  address?: string
  tags?: Readonly<Record<string, string>>
}

export interface AwsOptions {
  /** The role that trusts, and whom. */
  role: { arn: string; issuer: string; audience: string; subject: string }
  /** How documents of the issuer are read. */
  read: (url: string) => Promise<unknown>
  /** Epoch milliseconds; of this machine by default. */
  now?: () => number
  instances?: readonly AwsDatabase[]
  clusters?: readonly AwsDatabase[]
}

export interface AwsStandIn extends AsyncDisposable {
  readonly origin: string
  /** Of the tokens that were shown and believed. */
  readonly believed: readonly JWTPayload[]
  /** Answers no question about databases with a grant while it is set. */
  mayList: boolean
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })
const xml = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const account = '123456789012'

class Refusal extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

function instanceXml({ name, engine, address, tags = {} }: AwsDatabase, region: string): string {
  const endpoint = address === undefined ? '' : `<Endpoint><Address>${address}</Address><Port>5432</Port></Endpoint>`
  return `<DBInstance><DBInstanceIdentifier>${name}</DBInstanceIdentifier><Engine>${engine}</Engine><EngineVersion>16.4</EngineVersion>
    <DBInstanceStatus>${address === undefined ? 'creating' : 'available'}</DBInstanceStatus>${endpoint}<DbiResourceId>db-${name.toUpperCase()}</DbiResourceId>
    <DBInstanceArn>arn:aws:rds:${region}:${account}:db:${name}</DBInstanceArn><DBSubnetGroup><VpcId>vpc-1</VpcId></DBSubnetGroup>
    <IAMDatabaseAuthenticationEnabled>true</IAMDatabaseAuthenticationEnabled>
    <TagList>${Object.entries(tags)
      .map(([key, value]) => `<Tag><Key>${xml(key)}</Key><Value>${xml(value)}</Value></Tag>`)
      .join('')}</TagList></DBInstance>`
}

const clusterXml = ({ name, engine, address = '' }: AwsDatabase, region: string): string =>
  `<DBCluster><DBClusterIdentifier>${name}</DBClusterIdentifier><Engine>${engine}</Engine><Status>available</Status>
    <Endpoint>${address}</Endpoint><Port>3306</Port><DbClusterResourceId>cluster-${name.toUpperCase()}</DbClusterResourceId>
    <DBClusterArn>arn:aws:rds:${region}:${account}:cluster:${name}</DBClusterArn></DBCluster>`

export async function startAws({ role, read, now = Date.now, instances = [], clusters = [] }: AwsOptions): Promise<AwsStandIn> {
  const believed: JWTPayload[] = []
  /** Session tokens by the id of their key. */
  const given = new Map<string, string>()

  async function assume(form: URLSearchParams): Promise<string> {
    if (form.get('RoleArn') !== role.arn) throw new Refusal('AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity')
    const { issuer, jwks_uri: keysUri } = discovery.parse(await read(`${role.issuer}/.well-known/openid-configuration`))
    const keys = createLocalJWKSet((await read(keysUri)) as JSONWebKeySet)
    const { audience, subject } = role
    const options = {
      issuer,
      audience,
      subject,
      algorithms: ['RS256'],
      requiredClaims: ['iat', 'exp', 'jti'],
      currentDate: new Date(now()),
    }
    const { payload } = await jwtVerify(form.get('WebIdentityToken') ?? '', keys, options).catch((error: unknown) => {
      throw new Refusal('InvalidIdentityToken', String(error))
    })
    believed.push(payload)
    const [id, token] = [`ASIA${randomUUID().slice(0, 8)}`, randomUUID()]
    given.set(id, token)
    const session = `${form.get('RoleSessionName')}`
    return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
      <Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>${token}</SessionToken>
      <Expiration>2100-01-01T00:00:00Z</Expiration></Credentials><AssumedRoleUser><AssumedRoleId>AROA1:${session}</AssumedRoleId>
      <Arn>${role.arn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${session}</Arn></AssumedRoleUser>
      </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
  }

  function list(action: string, form: URLSearchParams, { headers }: IncomingMessage): string {
    const [, key = '', region = ''] = /Credential=([^/]+)\/\d+\/([^/]+)\/rds\/aws4_request/.exec(headers.authorization ?? '') ?? []
    const token = given.get(key)
    if (token === undefined || headers['x-amz-security-token'] !== token)
      throw new Refusal('InvalidClientTokenId', 'The security token is invalid')
    if (!state.mayList) throw new Refusal('AccessDenied', `User: ${role.arn} is not authorized to perform: rds:${action}`)
    const engines = [...form].filter(([name]) => /^Filters\.Filter\.1\.Values\.Value\.\d+$/.test(name)).map(([, value]) => value)
    const all = (action === 'DescribeDBInstances' ? instances : clusters).filter(({ engine }) => engines.includes(engine))
    // One on each page.
    const at = Number(form.get('Marker') ?? 0)
    const one = all[at]
    const marker = at + 1 < all.length ? `<Marker>${at + 1}</Marker>` : ''
    const what = action.slice('Describe'.length)
    const items = one && (action === 'DescribeDBInstances' ? instanceXml : clusterXml)(one, region)
    return `<${action}Response xmlns="http://rds.amazonaws.com/doc/2014-10-31/"><${action}Result>${marker}<${what}>${items ?? ''}</${what}></${action}Result></${action}Response>`
  }

  const server = createServer((request, response) => {
    const answer = async (): Promise<string> => {
      const form = new URLSearchParams(await text(request))
      const action = form.get('Action') ?? ''
      return action === 'AssumeRoleWithWebIdentity' ? assume(form) : list(action, form, request)
    }
    answer()
      .then((body) => response.writeHead(200, { 'content-type': 'text/xml' }).end(body))
      .catch((error: unknown) => {
        const code = error instanceof Refusal ? error.code : 'InternalFailure'
        const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${xml(String(error))}</Message></Error></ErrorResponse>`
        response.writeHead(error instanceof Refusal ? 403 : 500, { 'content-type': 'text/xml' }).end(body)
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const state = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    believed,
    mayList: true,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return state
}
