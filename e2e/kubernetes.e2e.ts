/** Kubernetes in the console: the list, how to connect, a shell in a pod, and where it is found afterwards. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveDocuments } from '@sallyport/testkit/kube-client.ts'
import { startKubeApi } from '@sallyport/testkit/targets/kube-api.ts'
import type { KubeApi } from '@sallyport/testkit/targets/kube-api.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { searchSessions } from '@sallyport/wire/calls/events.ts'
import { inspect, keepPicture, openBrowser } from './browser.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'
import { clientOf, signedIn } from './visitor.ts'

describe.skipIf(whyNoProgram('chromium'))('Kubernetes', () => {
  let world: World
  let api: KubeApi
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'dan'] })
    api = await startKubeApi()
    const cluster = (name: string, labels: object) => ({
      kind: 'kube_cluster',
      version: 'v3',
      metadata: { name, labels },
      spec: { kubeconfig: api.kubeconfig },
    })
    await saveDocuments(
      world,
      {
        kind: 'user',
        version: 'v2',
        metadata: { name: 'alice' },
        spec: { roles: ['editor', 'access', 'auditor'], traits: { logins: ['root'], kubernetes_groups: ['developers'] } },
      },
      cluster('dev', { env: 'dev', region: 'eu' }),
      cluster('prod', { env: 'prod', region: 'us' }),
      {
        kind: 'role',
        version: 'v6',
        metadata: { name: 'no-kube' },
        spec: { deny: { rules: [{ resources: ['kube_server'], verbs: ['*'] }] } },
      },
      { kind: 'user', version: 'v2', metadata: { name: 'dan' }, spec: { roles: ['no-kube'], traits: {} } },
    )
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await api[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })
  const at = (rest: string): string => `${world.url}/web/cluster/${world.cluster}/${rest}`
  const open = async (page: Page): Promise<void> => {
    await page.goto(at('kubernetes'))
    await page.getByRole('row', { name: /dev/ }).first().waitFor()
  }

  test('R1-005, R2-024, R2-070: the page lists the clusters of its cluster, and says how to connect', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await page.goto(at('nodes'))
    await page.getByRole('navigation').getByRole('link', { name: 'Kubernetes' }).click()
    await page.waitForURL(at('kubernetes'))
    await expect.poll(() => page.title()).toContain('Kubernetes')
    await page.getByRole('row', { name: /prod/ }).waitFor()
    await inspect(page, 'kubernetes')
    await page.getByRole('button', { name: 'Connect to dev' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect to dev' })
    await dialog.getByRole('combobox', { name: 'Pod', exact: true }).waitFor()
    await inspect(page, 'kubernetes-browser')
    await dialog.getByRole('tab', { name: 'From your machine' }).click()
    await expect.poll(() => dialog.innerText()).toContain('sallyport kube login dev')
    await expect.poll(() => dialog.innerText()).toContain(`sallyport login --proxy ${new URL(world.url).host} --user alice`)
    await inspect(page, 'kubernetes-machine')
    noErrors()
  })

  test('R0-002: a shell in a pod opens from the list, is among the active sessions, and is recorded', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    await open(page)
    await page.getByRole('button', { name: 'Connect to dev' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect to dev' })
    await dialog.getByRole('button', { name: 'Open shell' }).click()
    await dialog.getByText('Enter a pod').waitFor()
    const pod = dialog.getByRole('combobox', { name: 'Pod', exact: true })
    await pod.fill('web')
    await page.getByRole('option', { name: 'web-1' }).click()
    const [shell] = await Promise.all([page.context().waitForEvent('page'), dialog.getByRole('button', { name: 'Open shell' }).click()])
    await expect.poll(() => screenText(shell)).toContain('pod$')
    await shell.waitForURL(/\/console\/session\/[0-9a-f-]{36}/)
    await typeInTerminal(shell, 'echo here-$((40+2))\n')
    await expect.poll(() => screenText(shell)).toContain('here-42')
    await keepPicture(shell, 'kubernetes-shell')
    await page.goto(at('sessions'))
    const row = page.getByRole('row', { name: /dev/ })
    await row.waitFor()
    await shell.bringToFront()
    await typeInTerminal(shell, 'exit\n')
    const alice = await clientOf(world, 'alice')
    const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 3_600_000).toISOString() }
    await expect
      .poll(async () => (await alice.call(searchSessions, { params: { clusterId: world.cluster }, query: range })).events)
      .toMatchObject([{ kubernetes_cluster: 'dev', kubernetes_pod_name: 'web-1' }])
    await page.bringToFront()
    await page.goto(at('recordings'))
    const play = page.getByRole('link', { name: 'Play session of alice on dev/default/web-1' })
    const [player] = await Promise.all([page.context().waitForEvent('page'), play.click()])
    await expect.poll(() => player.url()).toContain('recordingType=k8s')
    await expect.poll(() => screenText(player)).toContain('pod$')
    noErrors()
  })

  test('R6-004: without list and read on clusters there is no page', async () => {
    const { page } = await signedIn(browser, world, 'dan')
    await page.goto(at('kubernetes'))
    await page.getByRole('heading', { name: 'Access Denied' }).waitFor()
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Kubernetes' }).count()).toBe(0)
  })
})
