/** MySQL in the browser: how one connects, and the SQL console on a real MariaDB. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMariadb, allowDatabases } from '@sallyport/testkit/targets/database.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium') ?? whyNoProgram('mariadbd'))('MySQL', () => {
  let world: World
  let browser: Browser
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    world = opened.use(await createWorld({ people: ['alice'] }))
    const alice = await clientOf(world, 'alice')
    opened.use(await addMariadb(world, alice))
    await allowDatabases(alice, 'alice', { users: ['writer'], names: ['shop'] })
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  test('somebody connects, several statements run, and a mistake is shown at its place', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/cluster/${world.cluster}/databases`)
    await page.getByRole('row').filter({ hasText: 'Self-hosted MySQL/MariaDB' }).getByRole('button', { name: 'Connect to shop' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect to shop' })
    await dialog.getByText('From your machine').click()
    await dialog.getByText('sallyport proxy db shop --db-user writer --db-name shop --port 3307').waitFor()
    await inspect(page, 'mysql-connect')
    await dialog.getByText('In the browser').click()
    const consoleOpens = page.context().waitForEvent('page')
    await dialog.getByRole('button', { name: 'Open SQL console' }).click()
    const sql = await consoleOpens
    await sql.getByText('Connected').waitFor()
    await sql.getByText(/^MariaDB \d+\.\d+/).waitFor({ state: 'attached' })
    await sql.keyboard.insertText(
      "create table items as select seq as id, concat('item ', seq) as name, if(seq % 2, null, unhex('00ff')) as code from seq_1_to_50;\nselect `id`, name, code from items order by id; -- all\nselect id from items whre id = 1; select 3",
    )
    await sql.keyboard.press('Control+Enter')
    await sql
      .getByRole('alert')
      .getByText(/You have an error in your SQL syntax/)
      .waitFor()
    await sql.getByText('1 statement after it did not run.').waitFor()
    await expect.poll(() => sql.locator('.cm-lintRange-error').textContent()).toBe('id')
    await sql.getByRole('button', { name: /^2\. 50 rows in/ }).click()
    await sql.getByRole('gridcell', { name: 'item 1', exact: true }).waitFor()
    await sql.getByRole('gridcell', { name: '0x00ff' }).first().waitFor()
    await inspect(sql, 'mysql-console')
    noErrors()
    await page.context().close()
  })
})
