import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { addressMatches } from './address.ts'

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.1.2.3', '10.0.0.0/8', false],
  ['10.1.2.3', '192.168.0.0/16, 10.1.2.3', true],
  ['::ffff:10.1.2.3', '10.0.0.0/8', true],
  ['2001:db8::1', '2001:db8::/32', true],
  ['2001:db9::1', '2001:db8::/32', false],
  ['fe80::1%eth0', 'fe80::/10', true],
  ['::1', '::1', true],
  ['127.0.0.1', '0.0.0.0/0', true],
  ['::1', '0.0.0.0/0', false],
  ['garbage', '0.0.0.0/0', false],
])('%s in %s: %s', (address, networks, expected) => {
  expect(addressMatches(address, networks)).toBe(expected)
})

test.each(['', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/8/8', '::/129', '01.2.3.4', '1:2:3:4:5:6:7:8:9', '1::2::3', '::/x', '10.0.0.0/'])(
  'the network "%s" is refused',
  (network) => {
    expect(() => addressMatches('10.1.2.3', `0.0.0.0/0,${network}`)).toThrow(ProtocolError)
  },
)

test('an address lies in its own network of every length', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(32), fc.ipV6(), fc.nat(128), (four, fourBits, six, sixBits) => {
      expect(addressMatches(four, `${four}/${fourBits}`)).toBe(true)
      expect(addressMatches(six, `${six}/${sixBits}`)).toBe(true)
    }),
  )
})
