/** Which addresses a machine may give as its own: the proxy connects to them later. */
import { BlockList, isIP } from 'node:net'

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Link-local (metadata services of clouds among them), unspecified, multicast, broadcast. */
const nobody = new BlockList()
nobody.addSubnet('0.0.0.0', 8, 'ipv4')
nobody.addSubnet('169.254.0.0', 16, 'ipv4')
nobody.addSubnet('224.0.0.0', 3, 'ipv4')
nobody.addAddress('::', 'ipv6')
nobody.addSubnet('fe80::', 10, 'ipv6')
nobody.addSubnet('ff00::', 8, 'ipv6')
nobody.addSubnet('fd00:ec2::', 32, 'ipv6')

/** A name could mean another machine tomorrow, the proxy itself among them: only administrators write names, into documents. */
export function whyNotOwnAddress(address: string, client: string): string | undefined {
  if (isIP(address) === 0) return `"${address}" is no IP address; a server that is reached by a name is registered by a document`
  // Other spellings of IPv4 would slip past the list.
  if (/^::(ffff:)?[\d.]*\.[\d.]*$/i.test(address) || /^::ffff:/i.test(address)) return `write "${address}" as an IPv4 address`
  if (nobody.check(address, family(address))) return `${address} is no address of a machine`
  if (loopback.check(address, family(address)) && !(isIP(client) !== 0 && loopback.check(client, family(client))))
    return `${address} is the proxy itself; give an address under which it reaches this machine`
  return undefined
}
