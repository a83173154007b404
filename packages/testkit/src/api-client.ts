/** A console without a screen: keeps cookies, sends the CSRF token and the bearer, and calls what the contract declares. */
import { callPath, callSearch, type AnswerOf, type BodyInput, type Call, type ParamsOf, type QueryInput } from '@sallyport/wire/call.ts'
import { errorBodyWire } from '@sallyport/wire/errors.ts'
import { bearerMeta, csrfHeader, csrfMeta } from '@sallyport/wire/limits.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'

export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface CallInput<C extends Call> {
  params?: ParamsOf<C>
  query?: QueryInput<C>
  body?: BodyInput<C>
}

export class ApiClient {
  /** Origin of the proxy. */
  readonly origin: string
  readonly #cookies = new Map<string, string>()
  #csrf = ''
  bearer: string | undefined

  constructor(origin: string) {
    this.origin = origin
  }

  /** Loads the page: its CSRF token counts from then on, and its bearer when somebody is signed in. */
  async loadPage(): Promise<void> {
    const html = await (await this.fetch('/web')).text()
    this.#csrf = metaOf(html, csrfMeta)
    const bearer = metaOf(html, bearerMeta)
    if (bearer !== '') this.bearer = sessionWire.parse(JSON.parse(Buffer.from(bearer, 'base64').toString())).token
  }

  /** Rejects with RefusedError when the proxy refuses. */
  async call<C extends Call>(call: C, input: CallInput<C> = {}): Promise<AnswerOf<C>> {
    const path = callPath(call.path, input.params ?? {}) + callSearch(input.query ?? {})
    const response = await this.fetch(path, {
      method: call.method,
      headers: { accept: 'application/json', 'content-type': 'application/json; charset=utf-8' },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    })
    const text = await response.text()
    if (!response.ok) {
      const refusal = errorBodyWire.safeParse(jsonOf(text))
      throw new RefusedError(response.status, refusal.success ? refusal.data.error.message : `${response.status} - ${response.url}`)
    }
    return call.out.parse(call.answer === 'json' ? jsonOf(text) : undefined) as AnswerOf<C>
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('cookie', this.cookieHeader)
    headers.set(csrfHeader, this.#csrf)
    if (this.bearer !== undefined) headers.set('authorization', `Bearer ${this.bearer}`)
    const response = await fetch(this.origin + path, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined && value !== undefined) this.#cookies.set(name, value)
    }
    return response
  }

  get cookieHeader(): string {
    return [...this.#cookies]
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
  }
}

function metaOf(html: string, name: string): string {
  const tag = new RegExp(`<meta[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? ''
  return /content="([^"]*)"/.exec(tag)?.[1] ?? ''
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
