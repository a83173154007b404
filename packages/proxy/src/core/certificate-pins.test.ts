import 'reflect-metadata'
import { execFile } from 'node:child_process'

import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { X509CertificateGenerator } from '@peculiar/x509'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { expect, test } from 'vitest'
import { pinsOf } from './certificate-pins.ts'

const run = promisify(execFile)

async function selfSigned(): Promise<{ cert: string; key: string }> {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    keys,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  })
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return { cert: certificate.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n` }
}

test.skipIf(whyNoProgram('curl'))('with its pin curl takes a private certificate, with another one it refuses it', async () => {
  const [own, other] = [await selfSigned(), await selfSigned()]
  const server = createServer(own, (_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const fetch = (pem: string) => run('curl', ['-fsSk', '--pinnedpubkey', pinsOf(pem)?.curl ?? '', `https://127.0.0.1:${port}/`])
  expect((await fetch(own.cert)).stdout).toBe('hello')
  await expect(fetch(other.cert)).rejects.toMatchObject({ code: 90 })
  server.close()
})
test('the pin of the authority is that of the last certificate', async () => {
  const [own, authority] = [await selfSigned(), await selfSigned()]
  const pins = pinsOf(own.cert + authority.cert)
  expect(pins?.authority).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(pins?.authority).toBe(pinsOf(authority.cert)?.authority)
  expect(pins?.curl).toBe(pinsOf(own.cert)?.curl)
})
test('a chain that ends at an authority of every machine needs no pin, and no certificate has none', () => {
  expect(pinsOf(getCACertificates('bundled')[0] ?? '')).toBeUndefined()
  expect(pinsOf('')).toBeUndefined()
})
