/** A person's browser at a provider, without a screen: keeps cookies, follows redirects, picks an account. */

export class ProviderVisitor {
  readonly #cookies = new Map<string, string>()

  /** Where the provider sends this person in the end: the first address that is not its own. */
  async signIn(address: string, account: string): Promise<string> {
    const { origin } = new URL(address)
    let next: { url: URL; init?: RequestInit } = { url: new URL(address) }
    for (let step = 0; step < 20; step++) {
      if (next.url.origin !== origin) return next.url.href
      const response = await this.#send(next.url, next.init)
      const location = response.headers.get('location')
      if (location !== null) next = { url: new URL(location, next.url) }
      else if (response.status === 200) next = { url: next.url, init: { method: 'POST', body: new URLSearchParams({ account }) } }
      else throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
    }
    throw new Error('the provider sends people around in circles')
  }

  async #send(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined && value !== undefined) this.#cookies.set(name, value)
    }
    return response
  }
}
