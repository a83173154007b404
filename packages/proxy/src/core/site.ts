/** How browsers know this proxy: its public origin, and what follows from it. */
import { isIP } from 'node:net'

export interface Site {
  /** `https://host[:port]` or, on loopback without TLS, `http://localhost:port`. */
  readonly origin: string
  /** `host[:port]`. */
  readonly host: string
  readonly hostname: string
  /** Id of the relying party for hardware keys. */
  readonly rpId: string
  /** True when browsers come over TLS. */
  readonly secure: boolean
  /** Whether a page of that origin is ours; on a loopback address its other names count as well. */
  isOwnOrigin(origin: string): boolean
  inviteUrl(tokenId: string): string
  resetUrl(tokenId: string): string
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** A site whose origin is told once the port is known (port 0 is known only after listening). */
export function lateSite(): { site: Site; settle: (origin: string) => void } {
  let url: URL | undefined
  const known = (): URL => {
    if (!url) throw new Error('the public address was asked for before the server listened')
    return url
  }
  const site: Site = {
    get origin() {
      return known().origin
    },
    get host() {
      return known().host
    },
    get hostname() {
      return known().hostname
    },
    get rpId() {
      return known().hostname
    },
    get secure() {
      return known().protocol === 'https:'
    },
    isOwnOrigin: (candidate) => candidate === known().origin || isLoopbackAlias(candidate, known()),
    inviteUrl: (tokenId) => `${known().origin}/web/invite/${tokenId}`,
    resetUrl: (tokenId) => `${known().origin}/web/reset/${tokenId}`,
  }
  return { site, settle: (origin) => void (url = new URL(origin)) }
}

export function siteAt(origin: string): Site {
  const { site, settle } = lateSite()
  settle(origin)
  return site
}

function isLoopbackAlias(candidate: string, own: URL): boolean {
  const other = URL.parse(candidate)
  if (!other || !loopbackNames.includes(own.hostname) || !loopbackNames.includes(other.hostname)) return false
  return other.protocol === own.protocol && other.port === own.port
}

/** The origin to answer on: the configured one, else localhost on a loopback address, else the host that is listened on. */
export function publicOrigin(at: { publicAddr: string | undefined; host: string; port: number; tls: boolean; loopback: boolean }): string {
  if (at.publicAddr) return at.publicAddr
  const host = at.loopback ? 'localhost' : isIP(at.host) === 6 ? `[${at.host}]` : at.host
  return new URL(`${at.tls ? 'https' : 'http'}://${host}:${at.port}`).origin
}
