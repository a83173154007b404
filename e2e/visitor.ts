/** How tests come to a console: signed in already, with a security key plugged in, or to a proxy that is configured in another way. */
import type { Browser, Page } from 'playwright-core'
import type { ApiClient } from '@sallyport/testkit/api-client.ts'
import type { Name } from '@sallyport/testkit/people.ts'
import type { World } from '@sallyport/testkit/world.ts'
import { clientConfigWire, type ClientConfigWire } from '@sallyport/wire/config.ts'
import { newPerson } from './browser.ts'

const clients = new WeakMap<World, Map<Name, Promise<ApiClient>>>()

/** The client of a person's one sign-in in a world: a code counts once, and the next one comes half a minute later. */
export function clientOf(world: World, name: Name): Promise<ApiClient> {
  const known = clients.get(world) ?? new Map<Name, Promise<ApiClient>>()
  clients.set(world, known)
  const client = known.get(name) ?? world.signIn(name)
  known.set(name, client)
  return client
}

/**
 * A profile of its own in which somebody is signed in already; the cookie is all that a page needs. Tests of a world share
 * one sign-in of each person: what ends it brings its own `client`.
 */
export async function signedIn(
  browser: Browser,
  world: World,
  name: Name,
  client: Promise<ApiClient> = clientOf(world, name),
): Promise<Awaited<ReturnType<typeof newPerson>>> {
  const { cookieHeader } = await client
  const person = await newPerson(browser)
  const url = world.url.replace('http:', 'https:')
  await person.page.context().addCookies(
    cookieHeader.split('; ').map((pair) => {
      const at = pair.indexOf('=')
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url, secure: true, httpOnly: true }
    }),
  )
  return person
}

/** Changes what config.js tells this page, as a proxy with other settings would; undefined takes a field away. */
export async function reconfigure(
  page: Page,
  { auth, ...top }: Omit<Partial<ClientConfigWire>, 'auth'> & { auth?: Record<string, unknown> },
): Promise<void> {
  await page.route('**/web/config.js', async (route) => {
    const response = await route.fetch()
    const known = clientConfigWire.parse(JSON.parse(/\{.*\}/s.exec(await response.text())?.[0] ?? ''))
    await route.fulfill({ response, body: `var GRV_CONFIG = ${JSON.stringify({ ...known, ...top, auth: { ...known.auth, ...auth } })};` })
  })
}

/** A security key in the browser itself, which also holds passkeys and asks nobody. */
export async function plugInKey(page: Page): Promise<void> {
  // A key that asks nobody would answer the offer of passkeys below the field for the name at once.
  await page.addInitScript(() => {
    if ('PublicKeyCredential' in window) window.PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/**
 * Comes back in a new tab, and is asked to sign in. An open page finds out by itself that its session has ended, at any moment,
 * and is on its way then.
 */
export async function waitForSignIn(page: Page, world: World): Promise<void> {
  const tab = await page.context().newPage()
  await page.close()
  await tab.goto(`${world.url}/web/account`)
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
}

/** Searches a list by "/", as hands on the keyboard do: what is typed counts where the focus is. */
export async function typeSearch(page: Page, words: string): Promise<void> {
  await page.keyboard.press('/')
  await page.locator('[data-list-search]:focus').waitFor()
  await page.keyboard.type(words)
}

/** Lets the page finish what it has begun, while its clock stands still. */
export const breathe = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let turn = 0; turn < 5; turn++)
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = resolve
        port2.postMessage(undefined)
      })
  })
