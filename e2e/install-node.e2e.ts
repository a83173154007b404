/** A machine joins with the script that the proxy serves: with the real agent, below a folder of its own. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { create } from '@sallyport/wire/calls/tokens.ts'
import { installNodeCommand, toJoinToken } from '@sallyport/wire/entities/join-token.ts'
import { openBrowser } from './browser.ts'
import { run } from './process.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, signedIn } from './visitor.ts'

const why = whyNoProgram('chromium') ?? whyNoProgram('curl')

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
      await page.keyboard.type('echo here-$((6*7))\n')
      await expect.poll(() => screenText(page)).toContain('here-42')
      noErrors()
      await page.context().close()
    } finally {
      uninstall(prefix)
    }
  })
})
