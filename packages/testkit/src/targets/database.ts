/** Databases of a world: their certificates signed for a join token, registered, with people who may open them. */
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { create as createToken } from '@sallyport/wire/calls/tokens.ts'
import { createDatabase, signDatabase } from '@sallyport/wire/calls/databases.ts'
import { callPath } from '@sallyport/wire/call.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import type { ApiClient } from '../api-client.ts'
import { roles } from '../people.ts'
import type { Name } from '../people.ts'
import type { World } from '../world.ts'
import { startMariadb } from './mariadb.ts'
import type { Mariadb } from './mariadb.ts'
import { startPostgres } from './postgres.ts'
import type { Postgres, ServerCertificate } from './postgres.ts'

/** As somebody does it on the machine of the database: a join token, and one call with it. */
export async function signServer(world: Pick<World, 'url' | 'cluster'>, alice: ApiClient, hostname: string): Promise<ServerCertificate> {
  const { id } = await alice.call(createToken, { body: { roles: ['Db'] } })
  const answer = await fetch(world.url + callPath(signDatabase.path, { clusterId: world.cluster }), {
    method: 'POST',
    headers: { authorization: `Bearer ${id}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hostname, ttl: '24h' }),
  })
  const files = await filesOf(Buffer.from(await answer.arrayBuffer()))
  return { certificate: files['server.crt'] ?? '', key: files['server.key'] ?? '', ca: files['server.cas'] ?? '' }
}

/** Of an archive, by name. */
export async function filesOf(archive: Buffer): Promise<Record<string, string>> {
  const files = new Map<string, string>()
  for await (const entry of Readable.from([archive]).pipe(createGunzip()).pipe(extract()))
    files.set(entry.header.name, (await buffer(entry)).toString())
  return Object.fromEntries(files)
}

/** Names and users of databases that somebody may use, where their roles leave it to them. */
export async function allowDatabases(alice: ApiClient, name: Name, { users, names }: { users: string[]; names: string[] }): Promise<void> {
  await alice.call(updateUser, { body: { name, roles: [...roles[name]], traits: { databaseUsers: users, databaseNames: names } } })
}

/** Listed as `name`; it has the users reader and writer, and the name `orders` besides `postgres`. */
export async function addPostgres(world: Pick<World, 'url' | 'cluster'>, alice: ApiClient, name = 'orders'): Promise<Postgres> {
  const server = await startPostgres({ tls: await signServer(world, alice, '127.0.0.1') })
  await server.run('create role reader login')
  await server.run('create role writer login')
  await server.run('create database orders owner writer')
  await alice.call(createDatabase, {
    params: { clusterId: world.cluster },
    body: { name, protocol: 'postgres', uri: `127.0.0.1:${server.port}`, labels: [{ name: 'env', value: 'test' }] },
  })
  return server
}

/** Listed as `name`; it has the accounts reader and writer, who are let in by certificate, and the schemas `shop` and `payroll`. */
export async function addMariadb(world: World, alice: ApiClient, name = 'shop'): Promise<Mariadb> {
  const server = await startMariadb(await signServer(world, alice, '127.0.0.1'))
  await server.run(mariadbAccounts)
  await alice.call(createDatabase, {
    params: { clusterId: world.cluster },
    body: { name, protocol: 'mysql', uri: `127.0.0.1:${server.port}`, labels: [{ name: 'env', value: 'test' }] },
  })
  return server
}

const mariadbAccounts = `
  create database shop;
  create database payroll;
  create user reader require subject '/CN=reader';
  create user writer require subject '/CN=writer';
  grant select, create temporary tables on shop.* to reader;
  grant all on shop.* to writer;
  grant all on payroll.* to writer;
  grant reload on *.* to writer;
`
