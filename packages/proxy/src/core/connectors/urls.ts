/**
 * Addresses that administrators type into connectors. This proxy calls them itself, so that they may lead neither to
 * metadata services nor into plain HTTP; addresses in private networks are fine, because that is where providers live.
 */
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Never a provider: link-local (metadata services live there), unspecified, multicast, reserved, and metadata by its own address. */
const forbidden = new BlockList()
forbidden.addSubnet('0.0.0.0', 8, 'ipv4')
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
forbidden.addSubnet('224.0.0.0', 3, 'ipv4')
forbidden.addAddress('100.100.100.200', 'ipv4')
forbidden.addAddress('192.0.0.192', 'ipv4')
forbidden.addAddress('168.63.129.16', 'ipv4')
forbidden.addAddress('::', 'ipv6')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addSubnet('ff00::', 8, 'ipv6')
forbidden.addAddress('fd00:ec2::254', 'ipv6')
forbidden.addAddress('fd20:ce::254', 'ipv6')

/** IPv4 inside IPv6 (mapped, compatible, NAT64, 6to4) is judged as what it leads to. */
function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const words = wordsOf(address)
  const v4 = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')
  const zeros = (count: number): boolean => words.slice(0, count).every((word) => word === 0)
  if (zeros(5) && words[5] === 0xffff) return v4(words[6], words[7])
  if (zeros(6) && (words[6] !== 0 || (words[7] ?? 0) > 1)) return v4(words[6], words[7])
  if (words[0] === 0x64 && words[1] === 0xff9b) return v4(words[6], words[7])
  if (words[0] === 0x2002) return v4(words[1], words[2])
  return address
}

function wordsOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address.split('%')[0] ?? '')
  const hex = (high: number, low: number): string => ((high << 8) | low).toString(16)
  const text = dotted
    ? `${dotted[1]}${hex(Number(dotted[2]), Number(dotted[3]))}:${hex(Number(dotted[4]), Number(dotted[5]))}`
    : (address.split('%')[0] ?? '')
  const [head = '', tail] = text.split('::')
  const parse = (part: string): number[] => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)))
  const before = parse(head)
  const after = parse(tail ?? '')
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after]
}

/** Why a connection to an IP address is refused; undefined when it is fine. */
export function whyNotAddress(address: string, allowLoopback: boolean): string | undefined {
  const plain = plainAddress(address)
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4'
  if (forbidden.check(plain, family)) return `${address} is no address of a provider`
  if (loopback.check(plain, family) && !allowLoopback) return `${address} is this machine itself`
  return undefined
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Whether an address names this machine by itself, which is for tests and for providers beside the proxy. */
export function isLoopbackUrl(url: URL): boolean {
  const host = hostOf(url)
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  const plain = plainAddress(host)
  return isIP(plain) !== 0 && loopback.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

/** Why this proxy does not call an address; undefined when it may. Names are judged again by what they resolve to. */
export function whyNotProviderUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return `"${text}" is no address such as https://id.example.com`
  if (url.username !== '' || url.password !== '') return 'the address must not carry a user name or password'
  const own = isLoopbackUrl(url)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && own))
    return `"${text}" must begin with https:// (plain http is for a provider on this machine only)`
  return isIP(hostOf(url)) === 0 ? undefined : whyNotAddress(hostOf(url), own)
}

const maxLength = 2048
const checked = (whyNot: (text: string) => string | undefined) =>
  z
    .string()
    .max(maxLength)
    .superRefine((text, context) => {
      const reason = text === '' ? undefined : whyNot(text)
      if (reason !== undefined) context.addIssue({ code: 'custom', message: reason })
    })

/** An address that this proxy calls; may be empty. */
export const providerUrl = checked(whyNotProviderUrl)
/** An address where browsers go. */
export const browserUrl = checked((text) => {
  const url = URL.parse(text)
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? undefined : `"${text}" is no web address`
})
