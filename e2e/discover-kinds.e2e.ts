/** Enrolling what is no server, with the commands that somebody is shown: a real PostgreSQL, directly and through an agent, and the rest through agents. */
import { execFile, execFileSync } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { joinHost } from '@sallyport/testkit/targets/agent.ts'
import { startKubeApi } from '@sallyport/testkit/targets/kube-api.ts'
import { startPostgres, type Postgres } from '@sallyport/testkit/targets/postgres.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startWebApp } from '@sallyport/testkit/targets/web-app.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { run } from './process.ts'
import { signedIn } from './visitor.ts'

const why = whyNoProgram('chromium') ?? whyNoProgram('initdb') ?? whyNoProgram('curl')

describe.skipIf(why)('enrolling what is no server', () => {
  let world: World
  let browser: Browser
  let server: Postgres
  let page: Page
  let noErrors: () => void
  let folder: string
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-kinds-'))
    opened.defer(() => rm(folder, { recursive: true, force: true }))
    world = opened.use(await createWorld({ people: ['alice'] }))
    server = opened.use(await startPostgres({ listens: true }))
    await server.run('create role writer login')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    ;({ page, noErrors } = await signedIn(browser, world, 'alice'))
  })
  afterAll(() => opened.disposeAsync())

  const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor()
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
  /** Down to the first step of a kind, by its tile. */
  async function choose(kind: string, tile: RegExp): Promise<void> {
    await page.goto(`${world.url}/web/discover?kind=${kind}`)
    await page.getByRole('list', { name: 'Resources' }).getByRole('button', { name: tile }).click()
  }
  const command = async (part: string): Promise<string> => {
    const shown = page.locator('pre', { hasText: part })
    await shown.waitFor()
    return (await shown.textContent()) ?? ''
  }
  const tokenOf = (shown: string): string => /\/scripts\/([0-9a-f]{32})\//.exec(shown)?.[1] ?? ''
  const joined = (): Promise<void> => page.getByText('Joined', { exact: true }).waitFor()
  async function add(label: string, value: string): Promise<void> {
    await page.getByRole('textbox', { name: label }).fill(value)
    await page.keyboard.press('Enter')
  }
  async function register(name: string, more: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Endpoint').fill('127.0.0.1')
    await page.getByLabel('Port', { exact: true }).fill(String(server.port))
    await more()
    await press('Register')
  }

  test('R1-018: a PostgreSQL is registered, made to trust the cluster with what is shown, tested and opened', async () => {
    await page.goto(`${world.url}/web/cluster/${world.cluster}/databases`)
    await page.getByRole('link', { name: 'Enroll database' }).first().click()
    await page.getByRole('button', { name: /PostgreSQL/ }).click()
    await heading('Register the database')
    await press('Register')
    await page.getByText('Start with a letter').waitFor()
    await inspect(page, 'discover-register')
    await register('orders')

    await heading('Let the server trust the cluster')
    await inspect(page, 'discover-tls')
    const fetches = await command('sign/db')
    await promisify(execFile)('bash', ['-o', 'pipefail', '-c', fetches], { cwd: server.data, ...server.owner })
    await appendFile(join(server.data, 'postgresql.conf'), `\n${await command('ssl_cert_file')}\n`)
    const rules = join(server.data, 'pg_hba.conf')
    await writeFile(rules, `${await command('hostssl all')}\n${await readFile(rules, 'utf8')}`)
    await server.run('select pg_reload_conf()')
    await press('Next: set up access')

    await heading('Set up access')
    await add('Your own database users', 'writer')
    await add('Your own database names', 'nowhere')
    await add('Your own database names', 'postgres')
    await press('Save and test')
    await heading('Test connection')
    await press('Test')
    await page.getByText('You cannot connect yet.').waitFor()
    await page.getByLabel('Database name').fill('postgres')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Test/ }).click()
    await page.getByText('You can connect.').waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Result of the test' }).getByRole('listitem').count()).toBe(5)
    await press('Finish')
    await heading('The door is open')
    await press('Open database list')
    await page.getByRole('row').filter({ hasText: 'orders' }).waitFor()
    noErrors()
  })

  test('R7-134: where only an agent reaches it, the shown script is run, the agent joins and the database is tested through it', async () => {
    await choose('database', /PostgreSQL/)
    await register('far', async () => {
      await page.getByLabel('An agent near it does').check()
      await press('Register')
      await page.getByText('Enter a label by which the agent knows it').waitFor()
      await add('Labels', 'site=far')
    })
    await heading('Run this near the database')
    await add('Labels of its databases', 'site=near')
    await add('Labels of its databases', 'env=prod')
    await page.getByText('would not serve the database, which has site=far').waitFor()
    await page.getByRole('button', { name: 'Remove env=prod' }).click()
    await inspect(page, 'discover-deploy')
    const shown = await command('install-database.sh')
    const running = run('bash', ['-c', `${shown.replace('sudo ', '')} install-database.sh -p '${folder}'`])
    expect(await running.ended(), running.stderr()).toBe(0)
    try {
      await joined()
      await press('Next: mutual TLS')
      // Suggestions that come after Escape stay closed.
      const escaped = Promise.withResolvers<void>()
      const databases = '**/databases?*'
      await page.route(databases, (route) => escaped.promise.then(() => route.continue()))
      await page.goto(`${world.url}/web/discover?resource=postgres&step=test&name=far`)
      await page.getByLabel('Database name').fill('postgres')
      await page.keyboard.press('Escape')
      escaped.resolve()
      await expect.poll(() => page.getByLabel('Database user').inputValue()).toBe('writer')
      await page.unroute(databases)
      await press('Test')
      await page.getByText('You can connect.').waitFor()
      // The next one with such labels needs no other agent.
      await choose('database', /PostgreSQL/)
      await register('farther', async () => {
        await page.getByLabel('An agent near it does').check()
        await add('Labels', 'site=near')
      })
      await heading('Let the server trust the cluster')
    } finally {
      execFileSync(join(folder, 'opt', 'sallyport-agent', 'uninstall'))
    }
  })

  test('a web application is enrolled with its command, and launched', async () => {
    await using wiki = await startWebApp()
    await choose('application', /Web application/)
    await heading('Run this where the application is')
    await page.getByText('Enter name and address to see the command.').waitFor()
    await page.getByLabel('Name').fill('Wiki')
    await page.getByLabel('Address').fill(wiki.uri)
    await page.getByText('Start with a lowercase letter').waitFor()
    await page.getByLabel('Name').fill('wiki')
    const shown = await command('install-app.sh')
    expect(shown).toContain(`?name=wiki&uri=${encodeURIComponent(wiki.uri)}'`)
    await inspect(page, 'discover-app')
    await using host = await joinHost({
      proxy: world.url,
      token: tokenOf(shown),
      hostname: 'app-host',
      args: ['--app', `wiki=${wiki.uri}`],
    })
    host.start()
    await joined()
    await press('Finish')
    await heading('The door is open')
    const popup = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Launch' }).click()
    await (await popup).getByRole('heading', { name: 'Team wiki' }).waitFor()
  })

  test('a Kubernetes cluster is enrolled through an agent with an account of its own, and tested', async () => {
    await using api = await startKubeApi()
    await choose('kubernetes', /Kubernetes cluster/)
    await page.getByLabel('Name').fill('prod')
    const shown = await command('install-kube.sh')
    const { uri, spec } = api.inCluster
    const files = ['--kube-token-file', spec.token_file, '--kube-ca-file', spec.ca_file]
    await using host = await joinHost({
      proxy: world.url,
      token: tokenOf(shown),
      hostname: 'kube-host',
      args: ['--kube', `prod=${uri}`, ...files],
    })
    host.start()
    await joined()
    await press('Next: set up access')
    await add('Your own Kubernetes groups', 'developers')
    await press('Save and test')
    await heading('Test connection')
    await press('Test')
    await page.getByText('You can connect.').waitFor()
  })

  test('a desktop is enrolled through an agent, and waits to be opened', async () => {
    await choose('desktop', /Desktop with RDP/)
    await page.getByLabel('Name').fill('office')
    await page.getByLabel('Address').fill('127.0.0.1')
    const shown = await command('install-desktop.sh')
    await using host = await joinHost({
      proxy: world.url,
      token: tokenOf(shown),
      hostname: 'desk-host',
      args: ['--desktop', 'office=127.0.0.1'],
    })
    host.start()
    await joined()
    await press('Next: set up access')
    await add('Your own desktop logins', 'lucy')
    await press('Save and finish')
    await heading('The door is open')
    const link = page.getByRole('link', { name: 'Connect now as lucy' })
    await expect.poll(() => link.getAttribute('href')).toContain('/desktops/office/lucy')
  })
})
