import { randomBytes, X509Certificate } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDesktopAuthority } from '../../core/authorities/desktop-authority.ts'
import { createMasterKey } from '../../core/authorities/master-key.ts'
import { desktopScriptRoutes } from './desktop-routes.ts'
import { powerShellScript, quotePowerShell } from './powershell-script.ts'

let api: ProxyApi
let origin: string
const closing = new AsyncDisposableStack()
beforeAll(async () => {
  api = closing.use(await openProxyApi())
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-scripts-'))
  closing.defer(() => rm(directory, { recursive: true }))
  const place = { directory, masterKey: createMasterKey(randomBytes(32)), clock: api.clock, clusterName: 'sallyport' }
  const desktopAuthority = createDesktopAuthority(place)
  const site = { origin: 'https://proxy.example.com' }
  const area = closing.use(
    await openAreaApi(desktopScriptRoutes({ joinTokens: api.context.joinTokens, desktopAuthority, site, clusterName: 'sallyport' })),
  )
  origin = await area.listen()
})
afterAll(() => closing.disposeAsync())

const get = (path: string): Promise<Response> => fetch(origin + path)
const textOf = async (path: string): Promise<string> => (await get(path)).text()
const tokenFor = async (role: string): Promise<string> => {
  const name = randomBytes(16).toString('hex')
  const spec = { roles: [role], suggested_labels: { 'teleport.internal/resource-id': 'the-id' } }
  await api.context.joinTokens.create({ metadata: { name }, spec }, 'alice')
  return name
}
const prefix = '/v1/webapi/scripts/desktop-access'

/** What PowerShell reads in the assignments at the top; throws where something else stands between them. */
function assignmentsOf(script: string): Record<string, string> {
  const found: Record<string, string> = {}
  let at = 0
  for (;;) {
    const start = /^\$(\w+) = '/.exec(script.slice(at))
    if (!start) return found
    at += start[0].length
    let value = ''
    for (;;) {
      const sign = script.charAt(at)
      if (sign === '') throw new Error('a text has no end')
      const isQuote = /['\u2018-\u201B]/.test(sign)
      if (isQuote && !/['\u2018-\u201B]/.test(script.charAt(at + 1))) break
      value += sign
      at += isQuote ? 2 : 1
    }
    if (script.slice(at + 1, at + 2) !== '\n') throw new Error(`something stands behind ${start[1]}`)
    at += 2
    found[start[1] ?? ''] = value
  }
}

test('R7-137: install-ad-ds.ps1 is public text, at both addresses, with and without a token', async () => {
  for (const path of [`${prefix}/install-ad-ds.ps1`, '/scripts/desktop-access/install-ad-ds.ps1', '/scripts/x/install-ad-ds.ps1']) {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      expect.stringContaining('no-store'),
    ])
    expect(await answer.text()).toContain('Install-ADDSForest')
  }
})
test('R7-138: install-ad-cs.ps1 is public text, at both addresses', async () => {
  for (const path of [`${prefix}/install-ad-cs.ps1`, '/scripts/desktop-access/install-ad-cs.ps1'])
    expect(await textOf(path)).toContain('Install-AdcsCertificationAuthority -CAType EnterpriseRootCA -HashAlgorithmName SHA384')
})

describe('R7-139: configure-ad.ps1', () => {
  const paths = (token: string) => [
    `${prefix}/configure/${token}/configure-ad.ps1`,
    `/scripts/desktop-access/configure/${token}/configure-ad.ps1`,
    `/scripts/${token}/configure-ad.ps1`,
  ]
  test('a good token answers a script that carries it, the authority and whom to look for', async () => {
    const token = await tokenFor('WindowsDesktop')
    for (const path of paths(token)) {
      const values = assignmentsOf(await textOf(path))
      expect(values).toMatchObject({ Cluster: 'sallyport', Token: token, ResourceId: 'the-id' })
      const authority = new X509Certificate(values['Authority'] ?? '')
      expect([authority.subject, authority.ca]).toEqual(['CN=sallyport desktops', true])
      expect(values['AuthorityHash']).toBe(authority.fingerprint.replaceAll(':', ''))
      expect(values['AuthorityHash']).toMatch(/^[0-9A-F]{40}$/)
    }
  })
  test('what is no token for desktops answers 400', async () => {
    const others = ['f'.repeat(32), await tokenFor('Node'), "'; Remove-Item C: '", 'x']
    for (const token of others)
      for (const path of paths(encodeURIComponent(token))) {
        const answer = await get(path)
        expect([answer.status, await answer.json()]).toMatchObject([400, { error: { message: 'invalid token' } }])
      }
  })
})

test('nothing gets out of the quotes of a script, and what PowerShell cannot hold is no value', () => {
  const hostile = ["o'brien", "'; Remove-Item C:\\ -Recurse; '", '‘; calc ’', '‚calc‛', '$(calc) `calc` "x"', "'@\nwhoami\n@'", '']
  for (const value of hostile) {
    const script = powerShellScript({ Cluster: value, Token: 'x' }, '\nbody')
    expect(assignmentsOf(script)).toEqual({ Cluster: value, Token: 'x' })
  }
  expect(() => quotePowerShell('a\0b')).toThrow('zero byte')
})

test('in what is written around the values, quotes and brackets are in pairs', async () => {
  const token = await tokenFor('WindowsDesktop')
  for (const path of ['/scripts/x/install-ad-ds.ps1', '/scripts/x/install-ad-cs.ps1', `/scripts/${token}/configure-ad.ps1`]) {
    expect(whyNotBalanced(await textOf(path)), path).toBeUndefined()
  }
})

/** Of PowerShell without here-strings and block comments: where a text or a bracket has no end. */
function whyNotBalanced(script: string): string | undefined {
  const open: string[] = []
  const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' }
  for (let at = 0; at < script.length; at += 1) {
    const sign = script.charAt(at)
    if (sign === '#') at = script.indexOf('\n', at)
    else if (sign === '`') at += 1
    else if (sign === "'" || sign === '"') {
      at += 1
      while (at < script.length && script.charAt(at) !== sign) at += sign === '"' && script.charAt(at) === '`' ? 2 : 1
      if (at >= script.length) return `a text has no end: ${sign}`
    } else if ('([{'.includes(sign)) open.push(sign)
    else if (sign in pairs && open.pop() !== pairs[sign]) return `"${sign}" at ${script.slice(0, at).split('\n').length} closes nothing`
  }
  return open.length === 0 ? undefined : `${open.join(' ')} has no end`
}
