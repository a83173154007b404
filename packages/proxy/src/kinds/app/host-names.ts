/** Under which host names browsers reach applications. Never under one of the console: what runs there could act for its user. */
import { isIP } from 'node:net'
import type { Site } from '../../core/site.ts'

/** Of a host name. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
export const isHostName = (text: string): boolean =>
  text.length <= 253 && isIP(text) === 0 && text.split('.').every((part) => label.test(part)) && !/^[\d.]+$/.test(text)
/** The name of an application stands in front of the proxy's. */
export const isAppName = (text: string): boolean => label.test(text)

/** The host name in `Host`, in lower case and without its port; undefined for what is no host name. */
export function hostNameOf(header: string | undefined): string | undefined {
  const name = (header ?? '')
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
  return isHostName(name) ? name : undefined
}

export interface AppAddress {
  readonly name: string
  /** As the document has it; empty when it says nothing. */
  readonly publicAddr: string
}

type Names = Pick<Site, 'hostname'>

/** Where it is reached: as the document says, else by its name in front of the proxy's. Empty where the proxy has no name. */
export function publicAddressOf({ name, publicAddr }: AppAddress, { hostname }: Names): string {
  const own = hostNameOf(publicAddr)
  if (own !== undefined && !isNameOfConsole(own, hostname)) return own
  return isHostName(hostname) && isAppName(name) ? `${name}.${hostname}` : ''
}

export const isNameOfConsole = (host: string, hostname: string): boolean => host === hostname || host === 'localhost'

/** The name that stands in front of the proxy's; undefined for any other host. */
export function nameInFront(host: string, { hostname }: Names): string | undefined {
  if (!isHostName(hostname) || !host.endsWith(`.${hostname}`)) return undefined
  return host.slice(0, -hostname.length - 1)
}
