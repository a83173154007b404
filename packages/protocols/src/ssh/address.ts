import { ProtocolError } from '../protocol-error.ts'

/** Addresses and networks of a certificate's source-address option: bits as one big number, IPv4 as IPv4-mapped IPv6. */

const mappedPrefix = 0xffffn << 32n

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/u.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function parseGroups(text: string): bigint[] | undefined {
  if (text === '') return []
  const groups: bigint[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    const embedded = index === parts.length - 1 ? parseIpv4(part) : undefined
    if (embedded !== undefined) groups.push(embedded >> 16n, embedded & 0xffffn)
    else if (/^[0-9a-f]{1,4}$/iu.test(part)) groups.push(BigInt(`0x${part}`))
    else return undefined
  }
  return groups
}

function parseAddress(text: string): bigint | undefined {
  const ipv4 = parseIpv4(text)
  if (ipv4 !== undefined) return mappedPrefix | ipv4
  const halves = text.split('::')
  const head = parseGroups(halves[0] ?? '')
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? '') : []
  if (!head || !tail || halves.length > 2) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const zeros = Array.from({ length: missing }, () => 0n)
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | group, 0n)
}

function parseNetwork(text: string): { address: bigint; hostBits: bigint } {
  const [address = '', length, rest] = text.split('/')
  const bits = parseAddress(address)
  const width = address.includes(':') ? 128 : 32
  const prefix = length === undefined ? width : Number(length)
  if (bits === undefined || rest !== undefined || (length !== undefined && !/^\d{1,3}$/u.test(length)) || prefix > width) {
    throw new ProtocolError('ssh/malformed', `"${text}" is not an address or a network like 10.0.0.0/8.`)
  }
  return { address: bits, hostBits: BigInt(width - prefix) }
}

/** True when the address lies in one of the comma-separated networks. A network that cannot be read throws ProtocolError. */
export function addressMatches(address: string, networks: string): boolean {
  const bits = parseAddress(address.replace(/%.*$/u, ''))
  const parsed = networks.split(',').map((network) => parseNetwork(network.trim()))
  return bits !== undefined && parsed.some((network) => bits >> network.hostBits === network.address >> network.hostBits)
}
