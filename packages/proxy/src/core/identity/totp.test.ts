import { generate } from 'otplib'
import { expect, test } from 'vitest'
import { matchTotp, newTotpSecret, totpUri } from './totp.ts'

const now = Date.parse('2026-11-21T10:00:10Z')
const step = Math.floor(now / 30_000)

test('codes of now, of the step before and of the next match, with the step they belong to; others do not', async () => {
  const secret = newTotpSecret()
  const at = (offset: number) => generate({ secret, epoch: (step + offset) * 30 })
  for (const offset of [-1, 0, 1]) expect(await matchTotp(secret, await at(offset), now)).toBe(step + offset)
  for (const offset of [-2, 2]) expect(await matchTotp(secret, await at(offset), now)).toBeUndefined()
  for (const text of ['', '12345', '1234567', '12345x', '१२३४५६']) expect(await matchTotp(secret, text, now)).toBeUndefined()
})
test('RFC 6238: the reference secret gives the reference code', async () => {
  // ASCII "12345678901234567890" in base32; at 59 s the eight digits are 94287082.
  expect(await matchTotp('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', '287082', 59_000)).toBe(1)
})
test('the address names the cluster, the user and the host', () => {
  const uri = new URL(totpUri('ABC', 'alice', 'harbour', 'localhost'))
  expect(decodeURIComponent(uri.pathname)).toContain('harbour:alice@localhost')
  expect([uri.searchParams.get('secret'), uri.searchParams.get('issuer')]).toEqual(['ABC', 'harbour'])
})
