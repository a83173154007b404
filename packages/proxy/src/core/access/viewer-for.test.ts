import { expect, test } from 'vitest'
import { viewerFor } from './viewer-for.ts'

test('a viewer shows what the access shows of its kind, and is the same object each time', () => {
  const access = { canSee: (kind: string, labels: Readonly<Record<string, string>>) => labels['for'] === kind }
  const databases = viewerFor(access, 'db')
  expect([databases.canSee({ for: 'db' }), databases.canSee({ for: 'app' })]).toEqual([true, false])
  expect(viewerFor(access, 'db')).toBe(databases)
  expect(viewerFor(access, 'app').canSee({ for: 'app' })).toBe(true)
  expect(viewerFor({ ...access }, 'db')).not.toBe(databases)
})
