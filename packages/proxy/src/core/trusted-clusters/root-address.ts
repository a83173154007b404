/** Where the proxy of a root is, as administrators write it: `host:port`, or an origin. */
import { isLoopbackUrl } from '../connectors/urls.ts'

const advice = 'write it as host:port, such as root.example.com:443'

function parse(text: string): URL | undefined {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`)
  const isPlain = url && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return isPlain && url.hostname !== '' ? url : undefined
}

/** Undefined when it is an address. Without TLS only this machine is talked to. */
export function whyNotRootAddress(text: string): string | undefined {
  const url = parse(text)
  if (!url) return advice
  return url.protocol === 'http:' && !isLoopbackUrl(url) ? 'another machine is reached over TLS only; write it without http://' : undefined
}

/** `https://host[:port]`. */
export function rootOrigin(text: string): string {
  const url = parse(text)
  if (!url) throw new Error('an address of a root was not checked')
  return url.origin
}
