/** The cluster's settings: where each value comes from, changing them, and what asks first. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { readAuthPreference, readNetworking, writeNetworking } from '@sallyport/wire/calls/cluster-config.ts'
import { inspect, openBrowser } from './browser.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('cluster settings', () => {
  let world: World
  let browser: Browser
  let page: Page
  let noErrors: () => void
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'dan'], settings: { webIdleTimeout: '8h' } })
    browser = await openBrowser()
    ;({ page, noErrors } = await signedIn(browser, world, 'alice'))
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })
  const open = async (on: Page): Promise<void> => {
    await on.goto(`${world.url}/web/settings`)
    await on.getByRole('heading', { level: 1, name: 'Cluster settings' }).waitFor()
    await on.getByRole('textbox', { name: 'Longest sign-in' }).waitFor()
  }
  const section = (name: string) => page.getByRole('form', { name })
  const networking = async () => (await clientOf(world, 'alice')).call(readNetworking)

  test('R2-007: the user menu leads there; every value says where it comes from', async () => {
    await page.goto(`${world.url}/web`)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Settings', exact: true }).click()
    const idle = section('Sessions').getByRole('textbox', { name: 'Sign out an idle console after' })
    // The field stands there before its value is known.
    await expect.poll(() => idle.inputValue()).toBe('8h')
    expect(page.url()).toBe(`${world.url}/web/settings`)
    await expect.poll(() => page.title()).toBe('Settings')
    await expect.poll(() => idle.isDisabled()).toBe(true)
    await section('Sessions').getByText('Set by the configuration; change it there.').waitFor()
    await expect.poll(() => section('Recording').getByText('Default').count()).toBe(1)
    await inspect(page, 'settings')
    noErrors()
  })

  test('a change is in force when it is saved, and goes back to the default', async () => {
    await open(page)
    const idle = section('Sessions').getByRole('textbox', { name: 'End an idle terminal after' })
    await idle.fill('soon')
    await section('Sessions').getByRole('button', { name: 'Save' }).click()
    await section('Sessions').getByRole('alert').getByText('must be a time').waitFor()
    await idle.fill('90m')
    await idle.press('Enter')
    await page.getByText('Settings saved').waitFor()
    await expect.poll(() => idle.inputValue()).toBe('1h30m')
    expect(await networking()).toMatchObject({ spec: { client_idle_timeout: '1h30m0s' }, sources: { client_idle_timeout: 'dynamic' } })
    await section('Sessions').getByRole('button', { name: 'Use default: End an idle terminal after' }).click()
    await expect.poll(() => idle.inputValue()).toBe('0')
    await section('Sessions').getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await networking()).sources['client_idle_timeout']).toBe('default')
    noErrors()
  })

  test('what weakens the cluster is asked about first', async () => {
    await open(page)
    await section('Signing in').getByLabel('Second factor', { exact: true }).click()
    await page.getByRole('option', { name: 'None, the password is enough' }).click()
    const save = section('Signing in').getByRole('button', { name: 'Save' })
    // The way back to the default moves nothing: fields beside each other stay in line.
    const top = (name: string) => section('Signing in').getByLabel(name, { exact: true }).boundingBox()
    const apart = async () => {
      const [one, other] = [await top('Second factor'), await top('Confirm every session')]
      return one && other && one.y - other.y
    }
    await section('Signing in').getByRole('button', { name: 'Use default: Second factor' }).waitFor()
    // The page around them may still grow between two looks.
    await expect.poll(apart).toBe(0)
    await save.click()
    const question = page.getByRole('alertdialog', { name: 'Save signing in settings?' })
    await question.getByText('A password alone').waitFor()
    await inspect(page, 'settings-confirm')
    await question.getByRole('button', { name: 'Cancel' }).click()
    const alice = await clientOf(world, 'alice')
    expect((await alice.call(readAuthPreference)).spec['second_factor']).toBe('on')
    await section('Signing in').getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => save.isDisabled()).toBe(true)
  })

  test('somebody else was faster: theirs is loaded before it is changed again', async () => {
    await open(page)
    await section('Sessions').getByRole('textbox', { name: 'Said when an idle terminal ends' }).fill('mine')
    const alice = await clientOf(world, 'alice')
    const { revision } = (await networking()).metadata
    await alice.call(writeNetworking, { body: { spec: { client_idle_timeout_message: 'theirs' }, revision } })
    await section('Sessions').getByRole('button', { name: 'Save' }).click()
    await section('Sessions').getByRole('button', { name: 'Load theirs' }).click()
    await expect
      .poll(() => section('Sessions').getByRole('textbox', { name: 'Said when an idle terminal ends' }).inputValue())
      .toBe('theirs')
  })

  test('who may not change them sees how one signs in, and nothing else', async () => {
    const dan = await signedIn(browser, world, 'dan')
    await open(dan.page)
    await expect.poll(() => dan.page.getByRole('form').count()).toBe(1)
    await expect.poll(() => dan.page.getByRole('textbox', { name: 'Longest sign-in' }).isDisabled()).toBe(true)
    expect(await dan.page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    dan.noErrors()
  })
})
