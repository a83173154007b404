import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { span } from './commands/status.ts'
import { program } from './program.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sallyport-cli-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(dataDir, { recursive: true })
})

/** Runs a command and answers what it printed. */
async function run(...args: string[]): Promise<string> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  await program().parseAsync([...args, '--data-dir', dataDir], { from: 'user' })
  return printed.mock.calls.map(([line]) => String(line)).join('\n')
}

async function socketThat(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void): Promise<AsyncDisposable> {
  const server = createServer((request, response) => void text(request).then((body) => answer(request, response, body)))
  await new Promise<void>((resolve) => server.listen(join(dataDir, 'admin.sock'), resolve))
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) }
}

test('users add sends roles and logins and prints the link on a line of its own', async () => {
  const asked: unknown[] = []
  await using _proxy = await socketThat((request, response, body) => {
    asked.push(`${request.method} ${request.url}`, JSON.parse(body))
    response.end(JSON.stringify({ link: 'http://localhost:3080/web/invite/abc', expires: '2030-01-02T03:04:05Z' }))
  })
  const printed = await run('users', 'add', 'ann', '--roles=access,auditor', '--logins=root,ann')
  expect(asked).toEqual(['POST /users', { name: 'ann', roles: ['access', 'auditor'], logins: ['root', 'ann'] }])
  expect(printed.split('\n').filter((line) => line.includes('/web/invite/'))).toEqual(['http://localhost:3080/web/invite/abc'])
})

test('a refusal of the proxy is the message of the command', async () => {
  await using _proxy = await socketThat((_request, response) => {
    response.statusCode = 409
    response.end(JSON.stringify({ error: { message: 'user "ann" already exists' } }))
  })
  await expect(run('users', 'add', 'ann', '--roles=access')).rejects.toThrow('user "ann" already exists')
})

test('without a running proxy one sentence says what to do', async () => {
  await expect(run('status')).rejects.toThrow(
    /^No proxy runs with the data directory .*: start it with `npm start`, or name its directory with --data-dir\.$/,
  )
})

test('audit verify fails when the chain is broken', async () => {
  let broken = false
  await using _proxy = await socketThat((_request, response) => {
    response.end(
      JSON.stringify(
        broken ? { ok: false, events: 7, firstBroken: { seq: 3, uid: 'u3', reason: 'hash differs' } } : { ok: true, events: 7 },
      ),
    )
  })
  await expect(run('audit', 'verify')).resolves.toContain('7 events')
  broken = true
  await expect(run('audit', 'verify')).rejects.toThrow('first at number 3 (u3): hash differs')
})

test('spans show the two largest units', () => {
  expect([0, 12, 3600, 11_220, 187_200].map(span)).toEqual(['0 s', '12 s', '1 h 0 min', '3 h 7 min', '2 d 4 h'])
})
