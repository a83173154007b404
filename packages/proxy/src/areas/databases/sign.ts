/** Keys and certificates for the servers of databases, for whoever holds a join token with the role Db. */
import { isIP } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { bareSignDatabase, signDatabase } from '@sallyport/wire/calls/databases.ts'
import { pack } from 'tar-stream'
import type { FastifyReply } from 'fastify'
import { parseDuration } from '../../core/access/duration.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { DatabaseAuthority } from '../../core/authorities/database-authority.ts'
import { accessDenied, badParameter } from '../../core/errors.ts'
import type { JoinTokens } from '../../core/join/join-tokens.ts'
import { on } from '../../core/route.ts'
import type { Client, Route } from '../../core/route.ts'

export interface SignDeps {
  joinTokens: Pick<JoinTokens, 'spend'>
  databaseAuthority: DatabaseAuthority
  audit: Pick<Audit, 'emit'>
}

const defaultTtl = 12 * 3_600_000
/** As long as the authority itself. */
const longestTtl = 10 * 365 * 24 * 3_600_000
const hostName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

/** Names or addresses, with commas between them. Throws bad parameter. */
export function readHosts(hostname: unknown): [string, ...string[]] {
  const [first, ...others] = typeof hostname === 'string' ? hostname.split(',').map((host) => host.trim()) : ['']
  if (!first) throw badParameter('missing hostname')
  for (const host of [first, ...others])
    if (isIP(host) === 0 && !hostName.test(host)) throw badParameter(`hostname: "${host.slice(0, 255)}" is no host name and no address`)
  return [first, ...others]
}

/** Milliseconds. Throws bad parameter. */
export function readTtl(ttl: unknown): number {
  if (ttl === undefined || ttl === null || ttl === '') return defaultTtl
  const ms = typeof ttl === 'string' ? parseDuration(ttl) : undefined
  if (ms === undefined || ms <= 0 || ms > longestTtl) throw badParameter('ttl: give a time such as 2190h, ten years at most')
  return ms
}

async function archiveOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mode: name.endsWith('.key') ? 0o600 : 0o644 }, content)
  archive.finalize()
  return buffer(archive.pipe(createGzip()))
}

export function signRoutes({ joinTokens, databaseAuthority, audit }: SignDeps): Route[] {
  async function sign(body: { hostname?: unknown; ttl?: unknown }, client: Client, reply: FastifyReply): Promise<undefined> {
    const [, token] = /^bearer (.+)$/i.exec(reply.request.headers.authorization ?? '') ?? []
    if (token === undefined || !(await joinTokens.spend(token, 'Db'))) throw accessDenied('need auth')
    const hosts = readHosts(body.hostname)
    const ttl = readTtl(body.ttl)
    await audit.emit('TC000I', { cert_type: 'database', identity: { user: hosts.join(', ') }, 'addr.remote': client.address })
    const { key, certificate } = await databaseAuthority.issueServer(hosts, ttl)
    const archive = await archiveOf({ 'server.crt': certificate, 'server.key': key, 'server.cas': await databaseAuthority.certificate() })
    const name = hosts[0].replaceAll(/[^\w.-]/g, '_')
    reply.type('application/octet-stream').header('content-disposition', `attachment;filename="teleport_mTLS_${name}.tar.gz"`)
    return reply.send(archive)
  }
  return [
    on(signDatabase, ({ body, client, reply }) => sign(body, client, reply)),
    on(bareSignDatabase, ({ body, client, reply }) => sign(body, client, reply)),
  ]
}
