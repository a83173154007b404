import { expect, test } from 'vitest'
import { installNodeCommand, isInstallToken, joinTokenWire, toJoinToken } from './join-token.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const of = (wire: object) => toJoinToken(joinTokenWire.parse(wire), now)

test('R3-112: the answer of POST token gives exactly these five fields', () => {
  const suggestedLabels = [{ name: 'teleport.internal/resource-id', value: 'u' }]
  const { expiry, ...rest } = of({ id: 'abc', expiry: '2026-11-21T14:00:00Z', method: 'token', suggestedLabels })
  expect(expiry).toEqual(new Date('2026-11-21T14:00:00Z'))
  expect(rest).toEqual({ id: 'abc', suggestedLabels, internalResourceId: 'u', expiryText: '4 hours' })
})
test('R3-113: the internal resource id is the label of that name; without one it is empty', () => {
  const other = { name: 'env', value: 'prod' }
  expect(of({ id: 'x', suggestedLabels: [other, { name: 'teleport.internal/resource-id', value: 'u' }] }).internalResourceId).toBe('u')
  expect(of({ id: 'x', suggestedLabels: [other] }).internalResourceId).toBe('')
  expect(of({ id: 'x', suggestedLabels: null }).internalResourceId).toBe('')
})
test.each([
  ['2026-11-21T13:59:40Z', '4 hours'],
  ['2026-11-21T11:00:00Z', '1 hour'],
  ['2026-11-21T10:01:00Z', '1 minute'],
  ['2026-11-21T10:00:10Z', 'less than a minute'],
  ['2026-11-28T10:00:00Z', '7 days'],
  ['3026-11-21T10:00:00Z', '1001 years'],
  ['0001-01-01T00:00:00Z', 'never'],
])('what ends at %s is good for %s', (expiry, text) => {
  expect(of({ id: 'x', expiry }).expiryText).toBe(text)
})

test('the command names the script of the token, and the pin where there is one', () => {
  const id = 'a'.repeat(32)
  expect(installNodeCommand('https://c.example.com', id, '')).toBe(
    `sudo bash -c "$(curl -fsSL https://c.example.com/scripts/${id}/install-node.sh)"`,
  )
  expect(installNodeCommand('https://c', id, 'sha256//AA=')).toContain("curl -fsSLk --pinnedpubkey 'sha256//AA=' https://c/scripts/")
  const token = { id, method: 'token', roles: ['Node'] }
  expect([token, { ...token, id: '$(id)' }, { ...token, method: 'iam' }, { ...token, roles: ['Db'] }].map(isInstallToken)).toEqual([
    true,
    false,
    false,
    false,
  ])
})
