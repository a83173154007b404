import { expect, test } from 'vitest'
import { seesAny } from './sees-any.ts'
import type { ListedKind } from './sees-any.ts'

test('R7-062: one thing of one kind is enough, when it may be listed and its labels are allowed', () => {
  const items = [{ labels: { env: 'prod' } }]
  const kindOf = (kind: ListedKind['kind'], listed: ListedKind['listed'], all = items): ListedKind => ({
    kind,
    listed,
    registry: { items: (accepts) => all.filter(accepts).values() },
  })
  const sees = seesAny([kindOf('app', 'app_server', []), kindOf('db', 'db_server')])
  const may = (listed: string, env: string) => ({
    allows: (kind: string) => kind === listed,
    canSee: (_kind: string, labels: Readonly<Record<string, string>>) => labels['env'] === env,
  })
  expect([sees(may('db_server', 'prod')), sees(may('db_server', 'dev')), sees(may('app_server', 'prod'))]).toEqual([true, false, false])
})
