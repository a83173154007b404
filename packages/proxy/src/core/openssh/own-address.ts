/** Which addresses a machine may give as its own: the proxy connects to them later. */
import { BlockList, isIP } from 'node:net'

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Link-local (metadata services of clouds among them), unspecified, multicast, broadcast. */
const nobody = { ipv4: new BlockList(), ipv6: new BlockList() }
nobody.ipv4.addSubnet('0.0.0.0', 8, 'ipv4')
nobody.ipv4.addSubnet('169.254.0.0', 16, 'ipv4')
nobody.ipv4.addSubnet('224.0.0.0', 3, 'ipv4')
nobody.ipv6.addSubnet('fe80::', 10, 'ipv6')
nobody.ipv6.addSubnet('ff00::', 8, 'ipv6')
nobody.ipv6.addSubnet('fd00:ec2::', 32, 'ipv6')
// IPv4 in the clothes of IPv6. A list takes this one for every IPv4 address, hence two lists.
nobody.ipv6.addSubnet('::', 96, 'ipv6')
nobody.ipv6.addSubnet('::ffff:0:0', 96, 'ipv6')
nobody.ipv6.addSubnet('64:ff9b::', 96, 'ipv6')

/** A name could mean another machine tomorrow, the proxy itself among them: only administrators write names, into documents. */
export function whyNotOwnAddress(address: string, client: string): string | undefined {
  if (isIP(address) === 0) return `"${address}" is no IP address; a server that is reached by a name is registered by a document`
  const kind = family(address)
  if (loopback.check(address, kind))
    return isIP(client) !== 0 && loopback.check(client, family(client))
      ? undefined
      : `${address} is the proxy itself; give an address under which it reaches this machine`
  return nobody[kind].check(address, kind) ? `${address} is no address of a machine` : undefined
}
