import { expect, test } from 'vitest'
import { aclAreas, noAccess, toUserAcl, userAclWire } from '@sallyport/wire/acl.ts'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import { routes } from '@sallyport/wire/routes.ts'
import type { Route, RouteName } from '@sallyport/wire/routes.ts'
import { mainScreens } from '../main-screens.tsx'
import { isBuilt } from '../routes.tsx'
import { isCurrent, permittedItems, topMenuItems, topNavItems } from './nav-items.ts'

const plain = { isDashboard: false }
const nobody: UserAcl = toUserAcl(userAclWire.parse({}))
const everybody: UserAcl = {
  ...nobody,
  ...Object.fromEntries(aclAreas.map((area) => [area, { list: true, read: true, edit: true, create: true, remove: true, use: true }])),
}

test('R3-069: the side navigation holds permitted pages that have a category, in the order of the route table', () => {
  const built = Object.entries<Route>(routes).filter(([name, { category }]) => category !== undefined && isBuilt(name as RouteName))
  const titles = permittedItems(everybody, plain).map(({ title }) => title)
  expect(titles).toEqual(built.map(([, { title }]) => title))
  expect(titles).toEqual(expect.arrayContaining(['Servers', 'Manage Roles', 'Audit Log']))
  const auditor: UserAcl = { ...nobody, events: { ...noAccess, list: true } }
  expect(permittedItems(auditor, plain).map(({ title }) => title)).toEqual(['Audit Log'])
  expect(permittedItems(nobody, plain)).toEqual([])
})

test('R3-071: the user menu begins with Account Settings and Help & Support, whatever the rights', () => {
  expect(
    topMenuItems(nobody, plain)
      .slice(0, 2)
      .map(({ title, address }) => [title, address('')]),
  ).toEqual([
    ['Account Settings', '/web/account'],
    ['Help & Support', '/web/support'],
  ])
})

test('R3-070: the top bar holds what is marked for it and permitted', () => {
  expect(topNavItems(everybody, plain).map(({ title, address }) => [title, address('')])).toEqual([['Assist', '/web/assist']])
  expect(topNavItems(nobody, plain)).toEqual([])
})

test('R2-088, R2-089: categories and sections come from the table', () => {
  const items = permittedItems(everybody, plain)
  expect(new Set(items.map(({ category }) => category))).toEqual(new Set(['Resources', 'Management']))
  const sections = items.filter(({ category }) => category === 'Management').map(({ section }) => section)
  expect([...new Set(sections)]).toEqual(['Access', 'Activity', 'Clusters'])
})

test('R2-090: links of a cluster carry its id', () => {
  const scoped = permittedItems(everybody, plain).filter(({ name }) => routes[name].pattern.includes('{clusterId}'))
  expect(scoped.length).toBeGreaterThan(2)
  for (const item of scoped) expect(item.address('leaf one')).toMatch(/^\/web\/cluster\/leaf%20one\//)
})

test('an item is current on its own page, in any cluster, and on pages below it that no list leads to', () => {
  const [servers] = permittedItems(everybody, plain)
  if (!servers) throw new Error('no item')
  expect(isCurrent(servers, '/web/cluster/other/nodes')).toBe(true)
  expect(isCurrent(servers, '/web/cluster/other/audit')).toBe(false)
  const locks = permittedItems(everybody, plain).find(({ name }) => name === 'locks')
  if (!locks) throw new Error('no locks')
  expect(isCurrent(locks, '/web/locks/new')).toBe(true)
  expect(isCurrent(locks, '/web/roles')).toBe(false)
  const requests = permittedItems(everybody, plain).find(({ name }) => name === 'requests')
  if (!requests) throw new Error('no requests')
  expect(requests.address('root')).toBe('/web/requests')
  for (const path of ['/web/requests', '/web/requests/an-id', '/web/requests/new']) expect(isCurrent(requests, path)).toBe(true)
})

test('what counts as built in the main layout has its screen there', () => {
  const main = Object.entries<Route>(routes).filter(([, { layout }]) => layout === 'main')
  const built = main.map(([name]) => name as RouteName).filter(isBuilt)
  expect(built.toSorted()).toEqual(Object.keys(mainScreens).toSorted())
})
