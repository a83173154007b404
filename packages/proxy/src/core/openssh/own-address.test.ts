import { expect, test } from 'vitest'
import { formatAddress, parseAddress } from './openssh-node.ts'
import { whyNotOwnAddress } from './own-address.ts'

const outside = '10.0.0.9'

test('a machine may give an address of its own, of whatever network', () => {
  for (const address of ['10.1.2.3', '192.168.0.7', '203.0.113.5', '2001:db8::7', 'fd12::1'])
    expect(whyNotOwnAddress(address, outside)).toBeUndefined()
})
test('the proxy itself, metadata services and addresses of nobody are refused, in every spelling', () => {
  for (const address of [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '0.0.0.0',
    '::',
    '169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2130706433',
    '127.1',
    '0x7f000001',
    'localhost',
    'db.example.com',
    '',
  ])
    expect(whyNotOwnAddress(address, outside), address).toEqual(expect.any(String))
})
test('a machine that comes from loopback is on loopback', () => {
  expect(whyNotOwnAddress('127.0.0.1', '127.0.0.1')).toBeUndefined()
  expect(whyNotOwnAddress('::1', '127.0.0.1')).toBeUndefined()
  expect(whyNotOwnAddress('169.254.169.254', '127.0.0.1')).toEqual(expect.any(String))
})

test('addresses of documents are host and port, nothing else', () => {
  expect(parseAddress('db.example.com:22')).toEqual({ host: 'db.example.com', port: 22 })
  expect(parseAddress('[2001:db8::1]:2222')).toEqual({ host: '2001:db8::1', port: 2222 })
  for (const address of [
    { host: '10.0.0.5', port: 22 },
    { host: '2001:db8::1', port: 65_535 },
  ])
    expect(parseAddress(formatAddress(address))).toEqual(address)
  for (const text of [
    '',
    'db',
    'db:',
    ':22',
    'db:0',
    'db:65536',
    'db:22/x',
    'user@db:22',
    '2001:db8::1:22',
    '[db]:22',
    'd b:22',
    'db:2 2',
    'http://db:22',
  ])
    expect(parseAddress(text), text).toBeUndefined()
})
