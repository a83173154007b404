/** The whole proxy without a port: everything real, on a database in a temporary directory, with a clock that tests move. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configOf } from '@sallyport/proxy/config.ts'
import { createContext } from '@sallyport/proxy/context.ts'
import type { Context } from '@sallyport/proxy/context.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { siteAt } from '@sallyport/proxy/core/site.ts'
import { createApp } from '@sallyport/proxy/http/app.ts'
import type { App } from '@sallyport/proxy/http/app.ts'
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import type { BodyInput, Call, ParamsOf, QueryInput } from '@sallyport/wire/call.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { csrfCookie, sessionCookie } from '@sallyport/wire/limits.ts'
import { roles, logins } from './people.ts'
import type { Name } from './people.ts'

export interface Answer {
  status: number
  /** Parsed JSON; undefined when the body is none. */
  body: unknown
  /** `error.message`, '' when there is none. */
  message: string
  text: string
  headers: Record<string, unknown>
  /** Cookies that the answer sets, name → value and attributes. */
  setCookies: string[]
}

type Settings = Partial<Parameters<typeof configOf>[0]>

export interface ProxyApi extends AsyncDisposable {
  readonly context: Context
  readonly app: App
  readonly origin: string
  readonly clock: {
    now: () => number
    advance: (ms: number) => void
    /** From now on only `advance` moves it, however long the test takes. */
    hold: () => void
  }
  /** A browser with cookies of its own. `ip` counts for rate limits. */
  browser(ip?: string): ApiBrowser
  /** Makes one of the people; the token of their invite. */
  invite(name: Name): Promise<string>
  /** Audit events of one code, oldest first. */
  events(code: string): Promise<AuditEventWire[]>
}

export async function openProxyApi(settings: Settings = {}): Promise<ProxyApi> {
  await using opened = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-api-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true }))
  let offset = 0
  let held: number | undefined
  const clock = {
    now: () => (held ?? Date.now()) + offset,
    advance: (ms: number) => void (offset += ms),
    hold: () => void (held = Date.now()),
  }
  const origin = 'http://localhost:3080'
  const context = opened.use(
    await createContext({
      config: configOf({ logLevel: 'silent', ...settings, dataDir }),
      clock,
      log: createLog('silent'),
      site: siteAt(origin),
    }),
  )
  context.lead()
  const app = opened.use(await createApp(context))
  const disposables = opened.move()
  let addresses = 0
  return {
    context,
    app,
    origin,
    clock,
    browser(ip) {
      addresses += 1
      return new ApiBrowser(app, ip ?? `10.1.${addresses >> 8}.${addresses & 255}`)
    },
    invite: async (name) => (await context.accounts.create({ name, roles: roles[name], logins: logins[name] }, 'test')).tokenId,
    async events(code) {
      const page = await context.audit.search({
        from: new Date(0),
        to: new Date(clock.now() + 60_000),
        types: undefined,
        limit: 1000,
        startKey: '',
        order: 'asc',
      })
      return page.events.filter((event) => event.code === code)
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

export class ApiBrowser {
  readonly #app: Pick<App, 'inject'>
  readonly #ip: string
  readonly cookies = new Map<string, string>()
  bearer: string | undefined
  /** Sent as X-CSRF-Token. */
  csrf = ''

  constructor(app: Pick<App, 'inject'>, ip: string) {
    this.#app = app
    this.#ip = ip
  }

  /** Makes a CSRF cookie and header that belong together, as loading the page does. */
  trustPage(): this {
    this.csrf = 'ab'.repeat(32)
    this.cookies.set(csrfCookie, this.csrf)
    return this
  }

  call<C extends Call>(call: C, input: { params?: ParamsOf<C>; query?: QueryInput<C>; body?: BodyInput<C> } = {}): Promise<Answer> {
    return this.send(call.method, callPath(call.path, input.params ?? {}) + callSearch(input.query ?? {}), input.body)
  }

  async send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await this.#app.inject({
      method,
      url,
      remoteAddress: this.#ip,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'test browser',
        ...(cookie === '' ? {} : { cookie }),
        ...(this.csrf === '' ? {} : { 'x-csrf-token': this.csrf }),
        ...(this.bearer === undefined ? {} : { authorization: `Bearer ${this.bearer}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
    const setCookies = [answer.headers['set-cookie'] ?? []].flat()
    for (const line of setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const parsed = jsonOf(answer.body)
    return { status: answer.statusCode, body: parsed, message: messageOf(parsed), text: answer.body, headers: answer.headers, setCookies }
  }

  get sessionCookie(): string | undefined {
    return this.cookies.get(sessionCookie)
  }
}

const messageOf = (body: unknown): string => {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : ''
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
