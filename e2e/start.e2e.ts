/** Starting, stopping and asking a running proxy from the command line. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withKey } from '@sallyport/testkit/key-holder.ts'
import { freePort } from '@sallyport/testkit/targets/free-port.ts'
import { root, run, sallyport } from './process.ts'

const invite = /\/web\/invite\/[0-9a-f]+/
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-start-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a proxy', () => {
  test('tells its address and the first invite, and only at its first start; ends with 0 on a signal', async () => {
    const dataDir = join(folder, 'first')
    const port = await freePort()
    const args = ['start', '--listen', `127.0.0.1:${port}`, '--data-dir', dataDir]
    {
      await using first = sallyport(...args)
      await expect(first.line(invite)).resolves.toMatch(new RegExp(`^http://localhost:${port}/web/invite/[0-9a-f]+$`))
      expect(first.stdout()).toContain(`http://localhost:${port}/web`)
      expect(first.stdout().match(/\/web\/invite\//g)).toHaveLength(1)
      first.child.kill('SIGTERM')
      await expect(first.ended()).resolves.toBe(0)
    }
    {
      await using added = sallyport(...args)
      await added.line(/ready/)
      await using command = sallyport('users', 'add', 'erin', '--roles=access', '--logins=x,y', '--data-dir', dataDir)
      await expect(command.ended()).resolves.toBe(0)
      expect(
        command
          .stdout()
          .split('\n')
          .filter((line) => invite.test(line)),
      ).toHaveLength(1)
      await using status = sallyport('status', '--data-dir', dataDir)
      await expect(status.ended()).resolves.toBe(0)
      expect(status.stdout()).toContain(`http://localhost:${port}`)
      await using verified = sallyport('audit', 'verify', '--data-dir', dataDir)
      await expect(verified.ended()).resolves.toBe(0)
      added.child.kill('SIGINT')
      await expect(added.ended()).resolves.toBe(0)
    }
  })

  test('started by npm, goes on through a restart and a settings file that is wrong, and ends with 0 when npm gets the signal', async () => {
    const port = await freePort()
    const dataDir = join(folder, 'npm')
    await using started = run('npm', ['start', '--', '--listen', `127.0.0.1:${port}`, '--data-dir', dataDir])
    await started.line(invite)
    /** On a connection of its own: a proxy that makes room for the next one closes those that it kept. */
    const look = async (path: string): Promise<[number | undefined, string | undefined]> => {
      const [answer] = (await once(get(`http://localhost:${port}${path}`, { agent: false }), 'response')) as [IncomingMessage]
      answer.resume()
      return [answer.statusCode, answer.headers['content-type']]
    }
    const served = async (): Promise<void> => expect(await look('/web')).toEqual([200, expect.stringContaining('text/html')])
    await served()
    // By what only the bundle can be wrong about: whether a library that comes late finds what it needs.
    await withKey({ url: `http://localhost:${port}`, dataDir }, 'gwen')
    {
      await using restarted = sallyport('restart', '--data-dir', dataDir)
      await expect(restarted.ended()).resolves.toBe(0)
      expect(restarted.stdout()).toContain(`Restarted: http://localhost:${port}/web`)
    }
    await served()
    {
      writeFileSync(join(dataDir, 'sallyport.yaml'), 'sessionTtl: soon\n')
      await using refused = sallyport('restart', '--data-dir', dataDir)
      await expect(refused.ended()).resolves.toBe(1)
      expect(refused.stderr()).toMatch(/was not restarted and goes on as before: .*sessionTtl/)
    }
    await served()
    expect(await look('/web/app/favicon.ico')).toEqual([200, 'image/x-icon'])
    started.child.kill('SIGTERM')
    await expect(started.ended()).resolves.toBe(0)
  })

  test('of what npm starts, every part that is fetched late is there', async () => {
    const dist = join(root, 'packages', 'cli', 'dist')
    const [build = ''] = /build-\d+/.exec(readFileSync(join(dist, 'main.mjs'), 'utf8')) ?? []
    const parts = new Set<string>()
    for (const file of readdirSync(join(dist, build)))
      for (const [, part = ''] of readFileSync(join(dist, build, file), 'utf8').matchAll(/import\("\.\/([^"]+\.mjs)"\)/g)) parts.add(part)
    expect(parts.size).toBeGreaterThan(20)
    const addresses = [...parts].map((part) => pathToFileURL(join(dist, build, part)).href)
    // The one that the library of certificates is never loaded without.
    const program = `for (const address of ${JSON.stringify(['reflect-metadata', ...addresses])}) await import(address); process.exit(0)`
    await using loading = run(process.execPath, ['--input-type=module', '-e', program])
    expect([await loading.ended(), loading.stderr()]).toEqual([0, ''])
  })
})

describe('one sentence says what to do', () => {
  const refused = async (...args: string[]): Promise<string> => {
    await using start = sallyport('start', ...args)
    await expect(start.ended()).resolves.toBe(1)
    expect(start.stderr().trim().split('\n')).toHaveLength(1)
    return start.stderr()
  }

  test('when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    await expect(refused('--listen', `127.0.0.1:${address.port}`, '--data-dir', join(folder, 'taken'))).resolves.toMatch(
      /port .* is taken.*--listen/i,
    )
    other.close()
  })

  test('when the data directory cannot be written', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    await expect(refused('--listen', '127.0.0.1:0', '--data-dir', join(file, 'below'))).resolves.toMatch(/cannot be written.*--data-dir/)
  })

  test('when the proxy would be reachable from other machines without TLS', async () => {
    await expect(refused('--listen', '0.0.0.0:0', '--data-dir', join(folder, 'open'))).resolves.toMatch(/HTTPS/)
  })

  test('when no proxy runs', async () => {
    await using status = sallyport('status', '--data-dir', join(folder, 'none'))
    await expect(status.ended()).resolves.toBe(1)
    expect(status.stderr()).toMatch(/npm start/)
  })
})
