/** Databases: the list, how one connects, and the SQL console on a real PostgreSQL. */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase } from '@sallyport/wire/calls/databases.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { SqlClient } from '@sallyport/testkit/sql-client.ts'
import { addPostgres, allowDatabases } from '@sallyport/testkit/targets/database.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('initdb'))('databases', () => {
  let world: World
  let browser: Browser
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = opened.use(await createWorld({ people: ['alice', 'dan'] }))
    const alice = await clientOf(world, 'alice')
    opened.use(await addPostgres(world, alice))
    await allowDatabases(alice, 'alice', { users: ['writer', 'reader'], names: ['orders'] })
    const labels = [{ name: 'env', value: 'prod' }]
    const body = { name: 'ledger', protocol: 'mysql', uri: 'ledger.example.com:3306', labels }
    await alice.call(createDatabase, { params: { clusterId: world.cluster }, body })
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  const address = () => `${world.url}/web/cluster/${world.cluster}/databases`
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

  test('R0-002, R1-003, R2-022, R2-071, R6-005: the list shows what there is, and by keyboard alone somebody connects, queries and takes the rows home', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web`)
    await page.getByRole('navigation').getByRole('link', { name: 'Databases' }).click()
    await page.getByRole('heading', { name: 'Databases', level: 1 }).waitFor()
    expect(page.url()).toBe(address())
    await expect.poll(() => page.title()).toContain('Databases')
    await row(page, 'orders').getByText('Self-hosted PostgreSQL').waitFor()
    await row(page, 'ledger').getByText('Self-hosted MySQL/MariaDB').waitFor()
    await inspect(page, 'databases')

    await page.getByRole('button', { name: 'Connect to orders' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Connect to orders' })
    await dialog.waitFor()
    await dialog.getByText('From your machine').click()
    await dialog.getByText('sallyport db connect orders').waitFor()
    await dialog.getByText('In the browser').click()
    await dialog.getByRole('button', { name: 'Open SQL console' }).click()
    await dialog.getByText('Choose a database user').waitFor()
    await dialog.getByRole('combobox', { name: 'Database user' }).fill('writer')
    await inspect(page, 'database-connect')
    const consoleOpens = page.context().waitForEvent('page')
    await dialog.getByRole('combobox', { name: 'Database user' }).press('Enter')
    const sql = await consoleOpens
    await sql.getByText('Connected').waitFor()
    await sql.keyboard.insertText(
      `create table people as select n as id, 'person ' || n as name, case when n % 2 = 0 then null else repeat('long ', 100) end as note from generate_series(1, 5000) n;\nselect * from people order by id`,
    )
    await sql.keyboard.press('Control+Enter')
    await sql.getByText('1,000 rows, there are more').last().waitFor()
    await sql.getByRole('gridcell', { name: 'person 1', exact: true }).waitFor()
    expect(await sql.getByRole('row').count()).toBeLessThan(100)
    await inspect(sql, 'sql-console')
    await sql.getByRole('button', { name: '10,000 more' }).click()
    await sql
      .getByText(/^SELECT 5000 in/)
      .last()
      .waitFor()

    const grid = sql.getByRole('grid', { name: 'Rows' })
    await grid.focus()
    await sql.keyboard.press('Control+End')
    await sql.getByRole('gridcell', { name: 'person 5000', exact: true }).waitFor()
    await sql.keyboard.press('ArrowUp')
    await sql.keyboard.press('Enter')
    const value = sql.getByRole('dialog', { name: 'note, row 4999' })
    await value.getByText('500 characters').waitFor()
    await sql.keyboard.press('Escape')
    const downloads = sql.waitForEvent('download')
    await sql.getByRole('button', { name: 'Save CSV' }).click()
    const file = await readFile(await (await downloads).path(), 'utf8')
    expect(file.split('\r\n').slice(0, 3)).toEqual([
      '"id","name","note"',
      expect.stringMatching(/^1,"person 1","long long /),
      '2,"person 2",',
    ])
    expect(file.split('\r\n')).toHaveLength(5002)
    noErrors()
    await page.context().close()
  })

  test('a mistake is shown at its place, a long statement is stopped, and what was run is in the audit log', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${address().replace('/databases', '/console/db/orders')}?user=reader&name=orders`)
    await page.getByText('Connected').waitFor()
    await page.keyboard.insertText('select 1;\nselect now() frm nothing; select 3')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').getByText('syntax error at or near "nothing"').waitFor()
    await page.getByText('1 statement after it did not run.').waitFor()
    await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('nothing')
    await inspect(page, 'sql-mistake')
    await page.getByRole('textbox', { name: 'Statements' }).press('Control+a')
    await page.keyboard.insertText('select pg_sleep(600)')
    await page.keyboard.press('Control+Enter')
    // A database takes no notice of being stopped before it has begun.
    const alice = await clientOf(world, 'alice')
    await using beside = await SqlClient.open(alice, { cluster: world.cluster, database: 'orders', user: 'reader', name: 'orders' })
    await expect
      .poll(async () => {
        const from = beside.events.length
        await beside.run(`select count(*) from pg_stat_activity where state = 'active' and query like 'select pg_sleep%'`)
        return (await beside.next('rows', from)).rows
      })
      .toEqual([['1']])
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped').waitFor()
    const query = { include: 'db.session.query', limit: 1000 }
    const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query })
    expect(events.map((event) => event['db_query'])).toContain('select now() frm nothing')
    noErrors()
    await page.context().close()
  })

  test('who is not allowed is told so, and who sees none finds an empty list', async () => {
    const { page } = await signedIn(browser, world, 'alice')
    await page.goto(`${address().replace('/databases', '/console/db/orders')}?user=postgres&name=orders`)
    await page.getByText('No role allows "postgres" in db_users together with "orders" in db_names on it.').waitFor()
    await page.context().close()
    const dan = await signedIn(browser, world, 'dan')
    await dan.page.goto(address())
    await dan.page.getByText('No databases here').waitFor()
    await dan.page.context().close()
  })
})
