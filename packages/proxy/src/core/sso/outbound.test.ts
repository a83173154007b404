/** What the proxy calls on behalf of an administrator, and what it never does. */
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { whyNotAddress, whyNotProviderUrl } from '../connectors/urls.ts'
import { createOutbound } from './outbound.ts'

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

test.each([
  ['127.0.0.1', 'this machine'],
  ['::1', 'this machine'],
  ['::ffff:127.0.0.1', 'this machine'],
  ['169.254.169.254', 'no address of a provider'],
  ['::ffff:169.254.169.254', 'no address of a provider'],
  ['::ffff:a9fe:a9fe', 'no address of a provider'],
  ['::169.254.169.254', 'no address of a provider'],
  ['64:ff9b::169.254.169.254', 'no address of a provider'],
  ['2002:a9fe:a9fe::1', 'no address of a provider'],
  ['fe80::1%eth0', 'no address of a provider'],
  ['fd00:ec2::254', 'no address of a provider'],
  ['100.100.100.200', 'no address of a provider'],
  ['0.0.0.0', 'no address of a provider'],
  ['::', 'no address of a provider'],
  ['224.0.0.1', 'no address of a provider'],
  ['255.255.255.255', 'no address of a provider'],
  ['ff02::1', 'no address of a provider'],
])('%s is refused', (address, reason) => {
  expect(whyNotAddress(address, false)).toContain(reason)
})
test.each(['10.0.0.1', '192.168.1.1', '172.16.0.1', '8.8.8.8', '2606:4700::1', 'fd12::1'])('%s is called', (address) => {
  expect(whyNotAddress(address, false)).toBeUndefined()
})
test('loopback is for what names it itself, and link-local for nobody', () => {
  expect(whyNotAddress('127.0.0.1', true)).toBeUndefined()
  expect(whyNotAddress('169.254.169.254', true)).toBeDefined()
  expect(whyNotProviderUrl('http://127.0.0.1:8080')).toBeUndefined()
  expect(whyNotProviderUrl('http://2130706433/')).toBeUndefined() // as the standard of addresses reads it: 127.0.0.1
  expect(whyNotProviderUrl('http://localhost.example.com')).toMatch(/https/)
})

test('a provider elsewhere leads nobody to this machine', async () => {
  const own = await serve((_request, response) => void response.end('inside'))
  await expect(createOutbound('https://id.example.com')(own)).rejects.toThrow('is this machine itself')
  await expect(createOutbound('https://id.example.com')(own.replace('http:', 'https:'))).rejects.toThrow('is this machine itself')
  await expect(createOutbound(own)('http://169.254.169.254/')).rejects.toThrow('is not called')
})
test('redirects are followed within the origin, three times at most', async () => {
  const other = await serve((_request, response) => void response.end('elsewhere'))
  const origin = await serve((request, response) => {
    const [, kind, count] = (request.url ?? '').split('/')
    if (kind === 'away') return void response.writeHead(302, { location: other }).end()
    if (kind === 'around' && count !== '0') return void response.writeHead(302, { location: `/around/${Number(count) - 1}` }).end()
    return void response.end('here')
  })
  const call = createOutbound(origin)
  expect(await (await call(`${origin}/around/3`)).text()).toBe('here')
  await expect(call(`${origin}/around/4`)).rejects.toThrow('redirects to')
  await expect(call(`${origin}/away`)).rejects.toThrow(`redirects to ${other}`)
})
test('an answer is bounded, and one that breaks off is an error', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/broken') response.write('a', () => response.destroy())
    else response.end('x'.repeat(1024 * 1024 + 1))
  })
  const call = createOutbound(origin)
  await expect(call(`${origin}/large`)).rejects.toThrow('is larger than 1024 KiB')
  await expect(call(`${origin}/broken`)).rejects.toThrow('could not be asked')
})
