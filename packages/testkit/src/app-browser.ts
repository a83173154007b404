/** A browser on the host of an application: keeps its cookies there, and comes with whatever a test gives it. */
import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { appAuthPath } from '@sallyport/wire/app-access.ts'
import { createAppSession } from '@sallyport/wire/calls/apps.ts'
import type { ApiClient } from './api-client.ts'
import type { World } from './world.ts'

export interface AppAnswer {
  status: number
  headers: IncomingHttpHeaders
  setCookies: string[]
  text: string
}

export interface AppRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** An application of the cluster, by a document. */
export async function addApp(
  { dataDir }: Pick<World, 'dataDir'>,
  name: string,
  {
    labels = {},
    description = '',
    ...spec
  }: { uri: string; labels?: Record<string, string>; description?: string } & Record<string, unknown>,
): Promise<void> {
  const document = { kind: 'app', version: 'v3', metadata: { name, description, labels }, spec }
  await ask(dataDir, adminCalls.saveResources, { parts: [JSON.stringify(document)], force: true })
}

export class AppBrowser {
  readonly cookies = new Map<string, string>()
  readonly #url: URL
  readonly host: string

  /** `url`: of the proxy. */
  constructor(url: string, host: string) {
    this.#url = new URL(url)
    this.host = host
  }

  get origin(): string {
    return `http://${this.host}:${this.#url.port}`
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** As it comes: the caller reads the body. */
  open(path: string, { method = 'GET', headers = {}, body }: AppRequest = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = {
        host: `${this.host}:${this.#url.port}`,
        ...(this.cookies.size > 0 && { cookie: this.cookieHeader }),
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      }
      const outgoing = httpRequest({ host: '127.0.0.1', port: this.#url.port, method, path, headers: sent })
      outgoing.once('response', resolve).once('error', reject).end(body)
    })
  }

  async send(path: string, request?: AppRequest): Promise<AppAnswer> {
    const answer = await this.open(path, request)
    const setCookies = answer.headers['set-cookie'] ?? []
    for (const line of setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return { status: answer.statusCode ?? 0, headers: answer.headers, setCookies, text: await text(answer) }
  }

  /** The way in, as the launcher and the page on the application's host go it. */
  async enter(client: ApiClient, cluster: string, path = '/'): Promise<AppAnswer> {
    const asked = await this.send(`${appAuthPath}?path=${encodeURIComponent(path)}&cluster=${cluster}&addr=${this.host}`)
    const state = new URL(asked.headers.location ?? '').searchParams.get('state')
    const session = await client.call(createAppSession, { body: { fqdn: this.host, cluster_name: cluster, public_addr: this.host } })
    return this.prove({ state_value: state, cookie_value: session.cookie_value, subject_cookie_value: session.subject_cookie_value })
  }

  prove(proof: object, headers: Record<string, string> = { origin: this.origin }): Promise<AppAnswer> {
    const body = JSON.stringify({ ...proof, required_apps: '' })
    return this.send(appAuthPath, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  }
}
