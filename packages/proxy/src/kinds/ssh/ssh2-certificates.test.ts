import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

test('whoever loads ssh2, before or after, keeps the stock one', async () => {
  const require = createRequire(import.meta.url)
  const before: object = require('ssh2')
  const parser: { parseDERKey(data: Buffer, type: string): unknown } = require('ssh2/lib/protocol/keyParser.js')
  const { newSshClient } = await import('./ssh2-certificates.ts')
  expect(require('ssh2')).toBe(before)
  expect(newSshClient()).not.toBeInstanceOf(Reflect.get(before, 'Client'))
  expect(parser.parseDERKey(Buffer.alloc(4), 'ssh-ed25519-cert-v01@openssh.com')).toBeInstanceOf(Error)
})
