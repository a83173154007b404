/** What lies above a page (menus, popovers, dialogs, sheets), in both themes, wide and narrow: reachable and named like the page itself. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { agentHostname, createWorld, type World } from '@sallyport/testkit/world.ts'
import { inspect, keepPicture, narrow, openBrowser, settle, violationsOf, wide } from './browser.ts'
import { signedIn } from './visitor.ts'

interface Layer {
  name: string
  screen: 'nodes' | 'audit' | 'console'
  open: (page: Page) => Promise<unknown>
  /** What shows that it is open. */
  role: 'menu' | 'dialog' | 'listbox'
  label: string | RegExp
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()

/** The page listens by the time its rows are there. */
async function askForKeys(page: Page): Promise<void> {
  await page.getByRole('row', { name: new RegExp(agentHostname) }).waitFor()
  await page.keyboard.press('?')
}

const layers: readonly Layer[] = [
  { name: 'account-menu', screen: 'nodes', open: press(/^Account/), role: 'menu', label: 'Account' },
  { name: 'login-picker', screen: 'nodes', open: press(/^Connect to/), role: 'dialog', label: /^Connect to/ },
  { name: 'row-menu', screen: 'nodes', open: press(/^More for/), role: 'menu', label: /More for/ },
  { name: 'shortcut-sheet', screen: 'nodes', open: askForKeys, role: 'dialog', label: 'Keyboard shortcuts' },
  { name: 'range-picker', screen: 'audit', open: press('Today'), role: 'dialog', label: 'Range of days' },
  { name: 'type-filter', screen: 'audit', open: press('All types'), role: 'dialog', label: 'Event types' },
  { name: 'export-menu', screen: 'audit', open: press('Export'), role: 'menu', label: /Export/ },
  { name: 'console-menu', screen: 'console', open: press('Menu'), role: 'menu', label: 'Menu' },
]

describe.skipIf(whyNoProgram('chromium'))('layers', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  test.each(layers)('$name', async ({ name, screen, open, role, label }) => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/cluster/${world.cluster}/${screen}`)
    await page.getByRole('main').waitFor()
    await open(page)
    const layer = page.getByRole(role, { name: label })
    await layer.waitFor()
    await inspect(page, `layer-${name}`)
    await page.keyboard.press('Escape')
    await layer.waitFor({ state: 'detached' })
    noErrors()
    await page.context().close()
  })

  test('an entry never moves away from under a click: not while its menu opens, and not when the page scrolls', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.setViewportSize({ width: wide.width, height: 400 })
    await page.goto(`${world.url}/web/account`)
    await page.getByRole('heading', { level: 1, name: 'Account settings' }).waitFor()
    // Before its parts are there it is too short to be scrolled.
    await page.getByRole('heading', { name: 'Roles and traits' }).waitFor()
    // Where the menu stands in every frame from the first that shows it.
    const tops = await page.evaluateHandle(() => {
      const seen = new Set<number>()
      const look = (): void => {
        const menu = document.querySelector('[role=menu]')
        if (menu) seen.add(menu.getBoundingClientRect().top)
        requestAnimationFrame(look)
      }
      look()
      return seen
    })
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menu').waitFor()
    await settle(page)
    expect(await tops.evaluate((seen) => seen.size)).toBe(1)
    const scrolled = await page.evaluate(() => {
      const top = (): number | undefined => document.querySelector('[role=menu]')?.getBoundingClientRect().top
      const before = top()
      window.scrollTo(0, 80)
      // Before the page has had a turn in which to put the menu back.
      return { by: window.scrollY, moved: top() !== before }
    })
    expect(scrolled).toEqual({ by: 80, moved: false })
    await page.getByRole('menuitem', { name: 'Help & Support' }).click()
    await page.getByRole('heading', { level: 1, name: 'Help & Support' }).waitFor()
    noErrors()
    await page.context().close()
  })

  test('a button opens and closes its layer, with the pointer and with the keyboard, and has the focus again', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(`${world.url}/web/cluster/${world.cluster}/nodes`)
    const hasFocus = (locator: Locator): Promise<boolean> => locator.evaluate((element) => element === document.activeElement)
    const button = page.getByRole('button', { name: /^More for/ }).first()
    const menu = page.getByRole('menu', { name: /More for/ })
    const first = menu.getByRole('menuitem').first()
    await button.click()
    await menu.waitFor()
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('true')
    await button.click()
    await menu.waitFor({ state: 'detached' })
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
    for (const key of ['Enter', 'ArrowDown']) {
      await button.press(key)
      await expect.poll(() => hasFocus(first)).toBe(true)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      await expect.poll(() => hasFocus(button)).toBe(true)
    }
    const choose = page.getByRole('button', { name: /^Choose login/ }).first()
    const picker = page.getByRole('dialog', { name: /^Connect to/ })
    await choose.press('Enter')
    await picker.waitFor()
    await expect.poll(() => picker.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await choose.click()
    await picker.waitFor({ state: 'detached' })
    await choose.click()
    await picker.waitFor()
    // It minds what is pressed outside from when it has the focus.
    await expect.poll(() => picker.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.mouse.click(5, 400)
    await picker.waitFor({ state: 'detached' })
    noErrors()
    await page.context().close()
  })

  test('the navigation of a phone', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.setViewportSize(narrow)
    await page.goto(`${world.url}/web/cluster/${world.cluster}/nodes`)
    await page.getByRole('button', { name: 'Menu' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('link', { name: 'Servers' }).waitFor()
    await settle(page)
    await keepPicture(page, 'layer-navigation-light-390')
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    noErrors()
    await page.context().close()
  })
})
