/**
 * A sign-in through an identity provider for the command line: a browser goes there, and what the proxy makes of it
 * comes to an address of this machine, sealed under a key that only this process knows.
 */
import { createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { certificatesWire } from '@sallyport/wire/calls/certificates.ts'
import type { CertificatesWire } from '@sallyport/wire/calls/certificates.ts'
import { startGithubClient, startOidcClient, startSamlClient } from '@sallyport/wire/calls/sso.ts'
import { ssoRequestTtl } from '@sallyport/wire/limits.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { CommandError } from './command-error.ts'
import { callProxy } from './proxy-client.ts'

export interface BrowserSignIn {
  origin: string
  connector: { type: 'oidc' | 'saml' | 'github'; name: string }
  /** Line of an OpenSSH public key. */
  publicKey: string
  /** Nanoseconds; 0 for the default. */
  ttl: number
  /** Ids of approved access requests. */
  requests: readonly string[]
  /** Gets the address for the browser. */
  show: (address: string) => void
}

const starts = { oidc: startOidcClient, saml: startSamlClient, github: startGithubClient }
const tagBytes = 16
const path = '/callback'
const sealed = z.object({ ciphertext: z.base64(), nonce: z.base64() })

/** Rejects with CommandError when the proxy or the provider says no, or when nobody comes back in time. */
export async function signInThroughBrowser({
  origin,
  connector,
  publicKey,
  ttl,
  requests,
  show,
}: BrowserSignIn): Promise<CertificatesWire> {
  const secret = randomBytes(32)
  const back = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const answer = url.searchParams
    if (url.pathname !== path || !(answer.has('response') || answer.has('err'))) return void response.writeHead(404).end()
    const page = routePath(answer.has('response') ? 'loginSuccess' : 'loginFailed')
    response.writeHead(302, { location: origin + page, connection: 'close' }).end(() => back.resolve(answer))
  }).listen(0, '127.0.0.1')
  const late = setTimeout(
    () => back.reject(new CommandError('Nobody signed in at the provider in time; run the command again.')),
    ssoRequestTtl,
  )
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { redirect_url } = await callProxy(origin, starts[connector.type], {
      body: {
        connector_id: connector.name,
        redirect_url: `http://127.0.0.1:${port}${path}?secret_key=${secret.toString('hex')}`,
        public_key: Buffer.from(publicKey).toString('base64'),
        cert_ttl: ttl,
        access_requests: [...requests],
      },
    })
    show(redirect_url)
    const answer = await back.promise
    const refusal = answer.get('err')
    if (refusal !== null) throw new CommandError(refusal)
    return open(answer.get('response') ?? '', secret)
  } finally {
    clearTimeout(late)
    server.closeAllConnections()
    server.close()
  }
}

/** Throws CommandError for what was not sealed by the proxy that was asked. */
function open(response: string, secret: Buffer): CertificatesWire {
  try {
    const { ciphertext, nonce } = sealed.parse(JSON.parse(response))
    const bytes = Buffer.from(ciphertext, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', secret, Buffer.from(nonce, 'base64'), { authTagLength: tagBytes })
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const plain = Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()])
    return z.parse(certificatesWire, JSON.parse(plain.toString('utf8')))
  } catch (cause) {
    throw new CommandError('The answer that came back is not of the proxy that was asked; run the command again.', { cause })
  }
}
