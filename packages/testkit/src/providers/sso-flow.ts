/** The steps of single sign-on as a browser without a screen takes them. */
import type { Answer, ApiBrowser } from '../proxy-api.ts'

const startPaths = { oidc: '/v1/webapi/oidc/login/web', saml: '/v1/webapi/saml/sso', github: '/v1/webapi/github/login/web' } as const
export type ProviderType = keyof typeof startPaths

/** Where a page of ours sends the browser on to. */
export const targetOf = ({ text }: Answer): string => /content="0;URL='([^']*)'"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''

/** `redirect` goes into the address as it is: it is the last parameter, and the proxy reads to the end. */
export function startSso(
  browser: ApiBrowser,
  { type, connector, redirect = 'http://localhost:3080/web' }: { type: ProviderType; connector: string; redirect?: string },
): Promise<Answer> {
  return browser.send('GET', `${startPaths[type]}?connector_id=${encodeURIComponent(connector)}&redirect_url=${redirect}`)
}

/** The address to which a start sends the browser. */
export const addressOf = (answer: Answer): string => (answer.status === 302 ? String(answer.headers['location']) : targetOf(answer))

/** Comes back to an address of the proxy, as the provider told the browser to. */
export function comeBack(browser: ApiBrowser, address: string): Promise<Answer> {
  const { pathname, search } = new URL(address)
  return browser.send('GET', pathname + search)
}

export const postForm = (browser: ApiBrowser, path: string, fields: Record<string, string>): Promise<Answer> =>
  browser.send('POST', path, new URLSearchParams(fields).toString(), { 'content-type': 'application/x-www-form-urlencoded' })
