import { expect, test } from 'vitest'
import { parseText } from '../../parts/documents/yaml-text.ts'
import { summariesOf, summaryOf, wordsOf } from './role-summary.ts'

const role = `kind: role
metadata: {name: oncall, description: For the phone}
spec:
  options: {max_session_ttl: 8h0m0s}
  allow:
    logins: [root, '{{internal.logins}}']
    node_labels: {env: [prod, stage], site: '*'}
    db_labels: {'*': '*'}
    rules:
      - {resources: [role, user], verbs: [list, read]}
      - {resources: ['*'], verbs: ['*'], where: 'equals(a, b)'}
  deny:
    logins: [postgres]
`

test('a role in a few words', () => {
  expect(summaryOf(role)).toEqual({ text: 'ssh, db · 2 admin rules · denies', description: 'For the phone' })
  expect(summaryOf('kind: role\nspec:\n  allow: {}\n  deny: {}\n').text).toBe('grants nothing')
  expect(summaryOf('not: [yaml').text).toBe('grants nothing')
})

test('many roles, until nobody wants to know any more', async () => {
  const roles = Array.from({ length: 500 }, (_, index) => ({ name: `role-${index}`, content: role }))
  const summaries = await summariesOf(roles, new AbortController().signal)
  expect([summaries.size, summaries.get('role-499')?.description]).toEqual([500, 'For the phone'])
  await expect(summariesOf(roles, AbortSignal.abort())).rejects.toThrow('aborted')
})

test('a role in sentences', () => {
  expect(wordsOf(parseText(role))).toEqual([
    'Reaches servers with env prod or stage and any site.',
    'Reaches all databases.',
    'Signs in to servers as root or {{internal.logins}}.',
    'May list and read role and user.',
    'May do everything with everything in the cluster where a condition holds.',
    'Never signs in as postgres.',
    'A sign-in lasts 8h0m0s at most.',
  ])
})
