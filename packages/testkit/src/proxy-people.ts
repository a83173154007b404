/** People of the proxy without a port: set up with an authenticator app or a key, signed in or not. */
import { generate } from 'otplib'
import type { Caller } from '@sallyport/proxy/core/caller.ts'
import { decodeSessionCookie, encodeSessionCookie } from '@sallyport/proxy/core/identity/session-cookie.ts'
import { completeUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import { registerChallenge } from '@sallyport/wire/calls/mfa.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { sessionCookie } from '@sallyport/wire/limits.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import { passwordOf } from './people.ts'
import type { Name } from './people.ts'
import type { ApiBrowser, ProxyApi } from './proxy-api.ts'
import { SoftwareKey } from './software-key.ts'

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
const period = 30_000

/** The code that an authenticator app shows, `steps` periods from now. */
export const codeOf = (api: ProxyApi, secret: string, steps = 0): Promise<string> =>
  generate({ secret, epoch: Math.floor((api.clock.now() + steps * period) / 1000) })

export interface WithApp {
  name: Name
  password: string
  secret: string
  /** The browser in which the account was set up; it holds a session cookie. */
  browser: ApiBrowser
}

export async function setUpWithApp(api: ProxyApi, name: Name): Promise<WithApp> {
  const token = await api.invite(name)
  const browser = api.browser().trustPage()
  const { totpSecret } = readUserToken.out.parse((await browser.call(readUserToken, { params: { tokenId: token } })).body)
  const password = passwordOf(name)
  const code = await codeOf(api, totpSecret)
  const done = await browser.call(completeUserToken, { body: { token, password: base64(password), second_factor_token: code } })
  if (done.status !== 200) throw new Error(`${name} could not be set up: ${done.message}`)
  // The code that set the device up counts as used.
  api.clock.advance(period)
  return { name, password, secret: totpSecret, browser }
}

/** `usage` passwordless: no password is set. */
export async function setUpWithKey(
  api: ProxyApi,
  name: Name,
  usage: 'mfa' | 'passwordless' = 'mfa',
): Promise<{ name: Name; password: string; key: SoftwareKey; browser: ApiBrowser }> {
  const token = await api.invite(name)
  const browser = api.browser().trustPage()
  const challenge = registerChallenge.out.parse(
    (await browser.call(registerChallenge, { params: { token }, body: { deviceType: 'webauthn', deviceUsage: usage } })).body,
  )
  if (!challenge.webauthn) throw new Error('no challenge for a key')
  const key = new SoftwareKey()
  const webauthnCreationResponse = key.create(challenge.webauthn.publicKey, { origin: api.origin })
  const password = passwordOf(name)
  const done = await browser.call(completeUserToken, {
    body: { token, password: usage === 'mfa' ? base64(password) : null, webauthnCreationResponse },
  })
  if (done.status !== 200) throw new Error(`${name} could not be set up: ${done.message}`)
  return { name, password, key, browser }
}

/** Signs in with password and code in a new browser, which then sends its bearer. */
export async function signInWithApp(api: ProxyApi, { name, password, secret }: WithApp): Promise<ApiBrowser> {
  const browser = api.browser().trustPage()
  const answer = await browser.call(signIn, { body: { user: name, pass: password, second_factor_token: await codeOf(api, secret) } })
  if (answer.status !== 200) throw new Error(`${name} could not sign in: ${answer.message}`)
  browser.bearer = sessionWire.parse(answer.body).token
  api.clock.advance(period)
  return browser
}

export const signedIn = async (api: ProxyApi, name: Name): Promise<ApiBrowser> => signInWithApp(api, await setUpWithApp(api, name))

/** The bearer that the page carries for this browser's cookie. */
export async function pageBearer(api: ProxyApi, browser: ApiBrowser): Promise<string | undefined> {
  const cookie = decodeSessionCookie(browser.sessionCookie ?? '')
  const session = cookie && (await api.context.sessions.find(cookie))
  return session && (await api.context.sessions.currentAnswer(session))?.token
}

/** Somebody who is set up already, in a browser of their own and without a proof: for when the clock has ended their session. */
export async function signedInAgain(api: ProxyApi, name: Name): Promise<ApiBrowser> {
  const person = await api.context.people.find(name)
  if (!person) throw new Error(`${name} is missing`)
  const browser = api.browser().trustPage()
  const { cookie, answer } = await api.context.sessions.start(person, '10.9.9.9')
  browser.cookies.set(sessionCookie, encodeSessionCookie(cookie))
  browser.bearer = answer.token
  return browser
}

/** Whoever is signed in in a browser, as handlers meet them. */
export async function callerOf(api: ProxyApi, browser: ApiBrowser): Promise<Caller> {
  const cookie = decodeSessionCookie(browser.sessionCookie ?? '')
  const session = cookie && (await api.context.sessions.find(cookie))
  const caller = session && (await api.context.sessions.callerOf(session))
  if (!caller) throw new Error('not signed in')
  return caller
}
