import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configOf } from './config.ts'
import { createLog } from './core/log.ts'
import { startProxy } from './main.ts'

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'sallyport-main-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
const log = createLog('silent')
const start = (dataDir: string, settings: Partial<Parameters<typeof configOf>[0]> = {}) =>
  startProxy(configOf({ listen: '127.0.0.1:0', ...settings, dataDir }), { log })

test('a first start tells the invite of the first administrator, later ones do not; everything lies below the data directory', async () => {
  await using dir = await folder()
  let invite: string | undefined
  {
    await using proxy = await start(dir.path)
    invite = proxy.firstInvite
    expect(proxy.publicUrl).toBe(`http://localhost:${proxy.address.port}`)
    expect(invite).toMatch(new RegExp(`^${proxy.publicUrl}/web/invite/[0-9a-f]{32}$`))
    const answer = await fetch(`http://127.0.0.1:${proxy.address.port}/v1/webapi/users/password/token/${invite?.split('/').at(-1)}`)
    expect(await answer.json()).toMatchObject({ user: 'admin' })
  }
  await using proxy = await start(dir.path)
  expect(proxy.firstInvite).toBeUndefined()
  expect((await stat(join(dir.path, 'keys', 'master.key'))).mode & 0o077).toBe(0)
})
test('no secret lies in the database as it is', async () => {
  await using dir = await folder()
  let token = ''
  let secret = ''
  {
    await using proxy = await start(dir.path)
    token = proxy.firstInvite?.split('/').at(-1) ?? ''
    const answer = await fetch(`${proxy.publicUrl.replace('localhost', '127.0.0.1')}/v1/webapi/users/password/token/${token}`)
    secret = ((await answer.json()) as { totpSecret: string }).totpSecret
  }
  const stored = Buffer.concat(await Promise.all(['store.db', 'store-audit.db'].map((name) => readFile(join(dir.path, name)))))
  expect(stored.includes('admin')).toBe(true)
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  for (const hidden of [token, secret]) expect(stored.includes(hidden)).toBe(false)
})
test('localhost is answered on both of its addresses where the machine has them', async () => {
  await using dir = await folder()
  await using proxy = await start(dir.path, { listen: 'localhost:0' })
  const answer = await fetch(`${proxy.publicUrl}/v1/webapi/ping`)
  expect(answer.status).toBe(200)
})
test('a port that is taken, a directory that is in use, or one that cannot be written is one sentence', async () => {
  await using dir = await folder()
  await using other = await folder()
  await using proxy = await start(dir.path)
  const { port } = proxy.address
  await expect(start(other.path, { listen: `127.0.0.1:${port}` })).rejects.toMatchObject({
    problem: 'port-taken',
    message: expect.stringContaining(`Port ${port} is taken`),
  })
  await expect(start(dir.path)).rejects.toMatchObject({ problem: 'already-running' })
  await writeFile(join(other.path, 'file'), '')
  await expect(start(join(other.path, 'file'))).rejects.toMatchObject({ problem: 'data-dir' })
  // The failed start told no link: the next one still does.
  await using second = await start(other.path)
  expect(second.firstInvite).toBeDefined()
})
test('stopping answers what is under way, cuts off those who hang, and leaves no socket behind', async () => {
  await using dir = await folder()
  const proxy = await start(dir.path)
  const idle = connect(proxy.address.port, '127.0.0.1')
  const half = connect(proxy.address.port, '127.0.0.1', () =>
    half.write('POST /v1/webapi/sessions/web HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{'),
  )
  await new Promise((resolve) => idle.once('connect', resolve))
  const answer = await fetch(`http://127.0.0.1:${proxy.address.port}/v1/webapi/ping`)
  expect(answer.status).toBe(200)
  for (const socket of [idle, half]) socket.on('error', () => {})
  await proxy[Symbol.asyncDispose]()
  await expect(stat(join(dir.path, 'admin.sock'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(fetch(`http://127.0.0.1:${proxy.address.port}/v1/webapi/ping`)).rejects.toThrow()
})
test('TLS: served with the given certificate, whose thumbprint is told; cookies and sockets are for https', async () => {
  await using dir = await folder()
  const [cert, key] = [join(dir.path, 'cert.pem'), join(dir.path, 'key.pem')]
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
  ])
  if (made.status !== 0) return
  await mkdir(join(dir.path, 'data'))
  await chmod(key, 0o600)
  await using proxy = await start(join(dir.path, 'data'), { tlsCert: cert, tlsKey: key })
  expect(proxy.publicUrl).toBe(`https://localhost:${proxy.address.port}`)
  await expect(start(join(dir.path, 'data2'), { tlsCert: join(dir.path, 'none'), tlsKey: key })).rejects.toMatchObject({ problem: 'tls' })
})
