/**
 * How a program on somebody's own machine gets the answer of a sign-in that went through the browser: at a loopback
 * address that it listens on, sealed under a key that it put into that address.
 */
import { createCipheriv, randomBytes } from 'node:crypto'
import { isLoopbackUrl } from '../connectors/urls.ts'
import { SsoError } from './sso-error.ts'

const secretName = 'secret_key'
const nonceBytes = 12

/** Throws SsoError for an address that is not on the person's own machine, or that has no key. */
export function requireClientAddress(address: string): string {
  const url = URL.parse(address)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || !isLoopbackUrl(url))
    throw new SsoError('login', `a program can be answered on its own machine only, not at "${address}"`)
  if (!/^[0-9a-f]{64}$/i.test(url.searchParams.get(secretName) ?? ''))
    throw new SsoError('login', 'the address of the program carries no secret_key')
  return url.href
}

const withQuery = (address: string, query: Record<string, string>): string => {
  const url = new URL(address)
  url.search = new URLSearchParams(query).toString()
  return url.href
}

/** The key itself goes nowhere. */
export function sealedAnswer(address: string, answer: object): string {
  const key = Buffer.from(new URL(address).searchParams.get(secretName) ?? '', 'hex')
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final(), cipher.getAuthTag()])
  const response = JSON.stringify({ ciphertext: ciphertext.toString('base64'), nonce: nonce.toString('base64') })
  return withQuery(address, { response })
}

export const failedAnswer = (address: string, text: string): string => withQuery(address, { err: text })
