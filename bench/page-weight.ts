/** P7: JavaScript that a browser with an empty cache loads until the login page, until the servers are listed and until the first prompt, as it comes over the wire. */
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core'
import { requireProgram, whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startWorldProcess, type Place } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'

const encodings = { gzip: '.gz', br: '.br' } as const
type Encoding = keyof typeof encodings
/** Bytes of gzip. */
const aims = { login: 110_000, servers: 170_000, terminal: 230_000 }
const scripts = join(import.meta.dirname, '..', 'packages', 'console', 'dist', 'app')
const patience = 30_000

interface Loaded {
  url: string
  /** Without headers. */
  body: number
  /** With headers. */
  total: number
}

/** Calls back when the page is done; only what was loaded until then counts. */
async function scriptsOf(
  browser: Browser,
  encoding: Encoding,
  visit: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<Loaded[]> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(patience)
    const session = await context.newCDPSession(page)
    const loaded = await watchScripts(session, encoding)
    await visit(page, context)
    return [...loaded]
  } finally {
    await context.close()
  }
}

async function watchScripts(session: CDPSession, encoding: Encoding): Promise<Loaded[]> {
  const loaded: Loaded[] = []
  const begun = new Map<string, { url: string; body: number }>()
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (!response.mimeType.includes('javascript')) return
    const [used, length] = [response.headers['content-encoding'] ?? '', Number(response.headers['content-length'])]
    if (used !== '' && used !== encoding) throw new Error(`${response.url} came as ${used} instead of ${encoding}`)
    begun.set(requestId, { url: response.url, body: length })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const script = begun.get(requestId)
    if (script) loaded.push({ ...script, total: encodedDataLength })
  })
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': encoding } })
  return loaded
}

async function toLogin(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/web/login`)
  await page.getByLabel('Username').waitFor()
}

async function signIn(context: BrowserContext, { origin, cookie }: Place): Promise<void> {
  const cookies = cookie.split('; ').map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) }))
  // A secure cookie can only be put in for an address with https; the browser then sends it to localhost as well.
  await context.addCookies(cookies.map((one) => ({ ...one, url: origin.replace(/^http:/, 'https:'), secure: true })))
}

async function toServers(page: Page, context: BrowserContext, place: Place): Promise<void> {
  await signIn(context, place)
  await page.goto(`${place.origin}/web/cluster/${place.cluster}/nodes`)
  await page
    .getByRole('button', { name: /^More for/ })
    .first()
    .waitFor()
}

async function toPrompt(page: Page, context: BrowserContext, place: Place): Promise<void> {
  const { origin, cluster, login, ssh } = place
  await signIn(context, place)
  await page.goto(`${origin}/web/cluster/${cluster}/console/node/${ssh.id}/${login}`)
  await page.locator('.xterm-rows').filter({ hasText: /[#$]/ }).waitFor()
}

const sum = (loaded: readonly Loaded[], field: 'body' | 'total'): number => loaded.reduce((total, one) => total + one[field], 0)

/** The same from the files that the build left. */
async function sizeOfFiles(loaded: readonly Loaded[], encoding: Encoding): Promise<number> {
  const built = loaded.map(({ url }) => new URL(url).pathname).filter((path) => path.startsWith('/web/app/'))
  const sizes = await Promise.all(built.map(async (path) => (await stat(join(scripts, basename(path) + encodings[encoding]))).size))
  return sizes.reduce((total, size) => total + size, 0)
}

async function measure(name: string, aim: number, visit: (encoding: Encoding) => Promise<Loaded[]>): Promise<void> {
  const gzip = await visit('gzip')
  const br = await visit('br')
  const bytes = sum(gzip, 'body')
  report({
    measure: `JavaScript to ${name}, gzip`,
    ours: bytes / 1000,
    unit: 'kB',
    aim: { text: `<= ${aim / 1000} kB`, holds: bytes <= aim },
  })
  report({ measure: `JavaScript to ${name}, brotli`, ours: sum(br, 'body') / 1000, unit: 'kB' })
  const files = await sizeOfFiles(gzip, 'gzip')
  note(
    `${name}: ${gzip.length} scripts, with headers ${Math.round(sum(gzip, 'total') / 1000)} kB; the same files in the build: ${(files / 1000).toFixed(1)} kB gzip, ${((await sizeOfFiles(gzip, 'br')) / 1000).toFixed(1)} kB brotli`,
  )
  const largest = gzip.toSorted((a, b) => b.body - a.body).slice(0, 8)
  note(`${name}, largest: ${largest.map(({ url, body }) => `${basename(new URL(url).pathname)} ${(body / 1000).toFixed(1)}`).join(', ')}`)
}

const whyNot = whyNoProgram('chromium') ?? whyNoProgram('sshd') ?? whyNoProgram('ssh')
if (whyNot) skip('JavaScript over the wire', whyNot)
else {
  await using world = await startWorldProcess()
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  const browser = await chromium.launch({ executablePath: requireProgram('chromium'), args })
  try {
    await measure('the login page', aims.login, (encoding) => scriptsOf(browser, encoding, (page) => toLogin(page, world.place)))
    await measure('the list of servers', aims.servers, (encoding) =>
      scriptsOf(browser, encoding, (page, context) => toServers(page, context, world.place)),
    )
    await measure('an open terminal', aims.terminal, (encoding) =>
      scriptsOf(browser, encoding, (page, context) => toPrompt(page, context, world.place)),
    )
  } finally {
    await browser.close()
  }
}
