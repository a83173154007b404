import { createHash } from 'node:crypto'

const namespace = Buffer.alloc(16)

/**
 * The id of a headless sign-in for a public key (its line, as it is sent): SHA-256 over the nil namespace and the key, cut
 * to 16 bytes and laid out as a UUID of version 5. Whoever knows the id cannot make another key that fits it.
 */
export function headlessId(publicKey: Uint8Array): string {
  const bytes = createHash('sha256').update(namespace).update(publicKey).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
