import { mkdtemp, rm, writeFile } from 'node:fs/promises'
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

test('requests are listed, made and decided', async () => {
  const asked: unknown[] = []
  const made = {
    id: 'r-1',
    user: 'bob',
    roles: ['dba'],
    resources: 0,
    state: 'PENDING',
    reason: 'ticket 5',
    created: '2030-01-02T03:04:05Z',
  }
  await using _proxy = await socketThat((request, response, body) => {
    asked.push(`${request.method} ${request.url}`, body === '' ? undefined : JSON.parse(body))
    response.end(JSON.stringify(request.method === 'GET' ? [{ ...made, resources: 2 }] : made))
  })
  expect(await run('requests', 'create', 'bob', '--roles=dba', '--reason=ticket 5')).toContain('request r-1 of bob waits')
  expect(await run('requests', 'ls')).toMatch(/r-1 +bob +pending +dba on 2 resources/)
  expect(await run('request', 'approve', 'r-1')).toContain('request r-1 is approved')
  expect(await run('requests', 'deny', 'r-1', '--reason=no')).toContain('request r-1 is denied')
  expect(asked).toEqual([
    'POST /requests',
    { user: 'bob', roles: ['dba'], reason: 'ticket 5' },
    'GET /requests',
    undefined,
    'POST /requests/decide',
    { id: 'r-1', state: 'APPROVED', reason: '' },
    'POST /requests/decide',
    { id: 'r-1', state: 'DENIED', reason: 'no' },
  ])
})

test('a refusal of the proxy is the message of the command', async () => {
  await using _proxy = await socketThat((_request, response) => {
    response.statusCode = 409
    response.end(JSON.stringify({ error: { message: 'user "ann" already exists' } }))
  })
  await expect(run('users', 'add', 'ann', '--roles=access')).rejects.toThrow('user "ann" already exists')
})

test('get prints documents, create sends a file, rm names what is gone', async () => {
  const asked: unknown[] = []
  await using _proxy = await socketThat((request, response, body) => {
    asked.push([request.url, JSON.parse(body)])
    if (request.url === '/resources/read')
      response.end(JSON.stringify({ documents: ['a', 'b'].map((name) => ({ kind: 'role', name, content: `name: ${name}\n` })) }))
    else if (request.url === '/resources/save') response.end(JSON.stringify({ saved: [{ kind: 'role', name: 'a', outcome: 'created' }] }))
    else response.end(JSON.stringify({ kind: 'role', name: 'a/b' }))
  })
  const written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  await run('get', 'role')
  expect(written).toHaveBeenCalledWith('name: a\n---\nname: b\n')
  const file = join(dataDir, 'role.yaml')
  await writeFile(file, 'kind: role\n')
  expect(await run('create', '-f', file)).toContain('role "a" created')
  expect(await run('rm', 'role/a/b')).toContain('role "a/b" removed')
  expect(asked).toEqual([
    ['/resources/read', { kind: 'role', withSecrets: false }],
    ['/resources/save', { parts: ['kind: role\n'], force: false }],
    ['/resources/remove', { kind: 'role', name: 'a/b' }],
  ])
})

test('what cannot be asked for says so in one sentence', async () => {
  await expect(run('rm', 'role')).rejects.toThrow('Name what to remove, such as role/name.')
  await expect(run('get', 'role/')).rejects.toThrow('"role/" is no reference')
  await expect(run('create', '-f', join(dataDir, 'none.yaml'))).rejects.toThrow('there is no such file')
  await writeFile(join(dataDir, 'empty.yaml'), '\n')
  await expect(run('create', '-f', join(dataDir, 'empty.yaml'))).rejects.toThrow('holds no document')
  await expect(run('users', 'update', 'ann')).rejects.toThrow('--set-roles')
})

test('users ls shows a line for each user', async () => {
  await using _proxy = await socketThat((_request, response) => {
    response.end(JSON.stringify([{ name: 'ann', roles: ['editor', 'access'], authType: 'local', state: 'invited' }]))
  })
  expect((await run('users', 'ls')).split('\n')).toEqual([
    'NAME  TYPE   STATUS          ROLES',
    'ann   local  invite pending  access,editor',
  ])
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
