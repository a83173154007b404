/**
 * Which ciphers a client is offered. The first of its own list counts, and OpenSSH's put CTR before GCM until version 10:
 * with its separate MAC it costs twice as much here. Since 6.2 they all have GCM, so that nothing else is offered to them.
 *
 * The library has one offer for all clients; the narrower one is made of its inner one. Where that is not as expected, it stays.
 */
import type { Connection } from 'ssh2'

const gcm = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'] as const
/** Without ChaCha20, which OpenSSH would choose: here it is slow, and GCM fast. */
export const ciphers = [...gcm, 'aes256-ctr', 'aes128-ctr'] as const

const firstWithGcm = { major: 6, minor: 2 }

/** Whether the client of that name, such as `OpenSSH_9.2p1`, has GCM. */
export function hasGcm(software: string): boolean {
  const [, major, minor] = /^OpenSSH_(?:for_Windows_)?(\d{1,3})\.(\d{1,3})/.exec(software) ?? []
  if (major === undefined || minor === undefined) return false
  return Number(major) > firstWithGcm.major || (Number(major) === firstWithGcm.major && Number(minor) >= firstWithGcm.minor)
}

interface List {
  readonly array: readonly string[]
}
type Direction = Record<'cipher' | 'mac' | 'compress' | 'lang', List>
interface Offer {
  readonly lists: { readonly kex: List; readonly serverHostKey: List; readonly cs: Direction }
}

/** To be called when the client has told its name, and before the key exchange. */
export function offerGcmOnly(connection: Connection): void {
  const protocol: { _offer?: Offer } | undefined = Reflect.get(connection, '_protocol')
  const lists = protocol?._offer?.lists
  if (!protocol?._offer || !Array.isArray(lists?.cs?.cipher?.array)) return
  const array = (list: List): readonly string[] => list.array
  const both = { cipher: [...gcm], mac: array(lists.cs.mac), compress: array(lists.cs.compress), lang: array(lists.cs.lang) }
  protocol._offer = Reflect.construct(protocol._offer.constructor as new (offer: object) => Offer, [
    { kex: array(lists.kex), serverHostKey: array(lists.serverHostKey), cs: both, sc: both },
  ]) as Offer
}
