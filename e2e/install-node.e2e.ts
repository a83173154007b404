/** A machine joins with the script that the proxy serves: with the real agent, below a folder of its own. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '@sallyport/cli/admin-client.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { freePort } from '@sallyport/testkit/targets/free-port.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { create } from '@sallyport/wire/calls/tokens.ts'
import { installNodeCommand, toJoinToken } from '@sallyport/wire/entities/join-token.ts'
import { openBrowser } from './browser.ts'
import { run, sallyport } from './process.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, signedIn } from './visitor.ts'

const why = whyNoProgram('chromium') ?? whyNoProgram('curl') ?? whyNoProgram('openssl')

describe.skipIf(why)('install-node.sh', () => {
  let world: World
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser()
    folder = await mkdtemp(join(tmpdir(), 'sallyport-install-'))
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** The command as the console shows it, without sudo: below its own folder nothing needs root. */
  async function install(command: string, prefix: string): Promise<string> {
    await mkdir(prefix, { recursive: true })
    const inner = `${command.replace('sudo ', '')} install-node.sh -p '${prefix}' -l served=script`
    const running = run('bash', ['-c', inner])
    expect(await running.ended(), running.stderr()).toBe(0)
    return running.stdout()
  }
  const uninstall = (prefix: string): Buffer => execFileSync(join(prefix, 'opt', 'sallyport-agent', 'uninstall'))

  test('R7-135: run, the server joins: it is listed under the id that the console waits for, and a terminal opens on it', async () => {
    const alice = await clientOf(world, 'alice')
    const token = toJoinToken(await alice.call(create, { body: { roles: ['Node'] } }), Date.now())
    const prefix = join(folder, 'first')
    expect(await install(installNodeCommand(world.url, token.id, ''), prefix)).toContain('is connected to the cluster')
    try {
      const query = { search: token.internalResourceId }
      const found = async () => (await alice.call(nodes, { params: { clusterId: world.cluster }, query })).items[0]
      await expect.poll(found).toMatchObject({ hostname: hostname(), tunnel: true })
      const server = await found()
      expect(server?.tags).toContainEqual({ name: 'served', value: 'script' })
      const { page, noErrors } = await signedIn(browser, world, 'alice')
      await page.goto(`${world.url}/web/cluster/${world.cluster}/console/node/${server?.id}/${userInfo().username}`)
      await expect.poll(() => screenText(page)).toMatch(/[$#]$/m)
      await typeInTerminal(page, 'echo here-$((6*7))\n')
      await expect.poll(() => screenText(page)).toContain('here-42')
      noErrors()
      await page.context().close()
    } finally {
      uninstall(prefix)
    }
  })

  test('the command line makes a token with its command, lists it under a masked name and removes it by that', async () => {
    const tokens = async (...args: string[]): Promise<string> => {
      const command = sallyport('tokens', ...args, '--data-dir', world.dataDir)
      expect(await command.ended(), command.stderr()).toBe(0)
      return command.stdout()
    }
    const made = await tokens('add', '--roles=node', '--labels=env=prod', '--once')
    const [, token = ''] = /^([0-9a-f]{32})$/m.exec(made) ?? []
    expect(made).toContain(installNodeCommand(world.url, token, ''))
    const masked = '*'.repeat(24) + token.slice(24)
    expect(await tokens('ls')).toMatch(new RegExp(String.raw`^\*{24}${token.slice(24)}  token   Node   \S+, for one agent$`, 'm'))
    expect(await tokens('rm', masked)).toContain('removed')
    expect(await tokens('ls')).not.toContain(masked)
  })

  test('a proxy with a private certificate is recognised by its key, by curl and by the agent; another one in its place is not', async () => {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const subject = ['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert]
    execFileSync('openssl', ['req', '-x509', ...pair, ...subject], { stdio: 'ignore' })
    const dataDir = join(folder, 'data')
    // Packed once is enough for two proxies.
    const packed = join(world.dataDir, 'agent-package')
    if (existsSync(packed)) await cp(packed, join(dataDir, 'agent-package'), { recursive: true })
    const listen = `127.0.0.1:${await freePort()}`
    await using proxy = await startProxy(configOf({ logLevel: 'silent', dataDir, listen, tlsCert: cert, tlsKey: key }))
    const { token } = await ask(dataDir, adminCalls.addToken, { roles: ['Node'], ttl: 600 })
    const pin = execFileSync('bash', [
      '-c',
      `openssl x509 -in '${cert}' -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`,
    ])
    const prefix = join(folder, 'second')
    const command = installNodeCommand(proxy.publicUrl, token, `sha256//${pin.toString().trim()}`)
    expect(await install(command, prefix)).toContain('is connected to the cluster')
    try {
      await expect.poll(() => proxy.inventory.count()).toBe(1)
      const wrong = installNodeCommand(proxy.publicUrl, token, `sha256//${'A'.repeat(43)}=`).replace('sudo ', '')
      const refused = run('bash', ['-c', `${wrong} install-node.sh -p '${join(folder, 'third')}'`])
      // Without a script there is nothing that could fail.
      expect(await refused.ended()).toBe(0)
      expect([refused.stdout(), refused.stderr()]).toEqual(['', expect.stringContaining('curl: (90)')])
    } finally {
      uninstall(prefix)
    }
  })
})
