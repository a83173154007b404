/**
 * Who may import what: first matching line of `rooms` decides. The lint configuration says the same for editors; this
 * one also sees through relative paths. If you change one, change the other.
 */
import type { Import } from './tree.ts'

const wire = 'packages/wire/src/'
const protocols = 'packages/protocols/src/'
const library = '(?!packages/)'
const proxy = 'packages/proxy/src/'

/** Files that stand in a room, and what they may reach. `$1` is the first group of `within`: the area, kind or screen itself. */
const rooms: readonly { within: RegExp; may: string }[] = [
  { within: /^packages\/wire\/src\//, may: `^(zod(/|$)|${wire})` },
  { within: /^packages\/protocols\/src\/(ssh|rdp)\//, may: `^(node:crypto$|${protocols})` },
  { within: /^packages\/protocols\/src\//, may: `^${protocols}(?!ssh/|rdp/)` },
  { within: /^packages\/proxy\/src\/(core|store)\//, may: `^(${library}|${wire}|${protocols}|${proxy}(core|store)/|${proxy}config)` },
  { within: /^packages\/proxy\/src\/areas\/([^/]+)\//, may: `^(${library}|${wire}|${proxy}(core|store)/|${proxy}areas/$1/)` },
  { within: /^packages\/proxy\/src\/kinds\/([^/]+)\//, may: `^(${library}|${wire}|${protocols}|${proxy}(core|store)/|${proxy}kinds/$1/)` },
  { within: /^packages\/proxy\/src\//, may: `^(${library}|${wire}|${protocols}|${proxy})` },
  { within: /^packages\/agent\/src\//, may: `^(${library}|${wire}|${protocols}|packages/agent/src/)` },
  {
    within: /^packages\/console\/src\/ui\//,
    may: `^((?!packages/|node:|@tanstack/react-(router|query))|packages/console/src/(ui|styles)/)`,
  },
  {
    within: /^packages\/console\/src\/parts\//,
    may: `^((?!packages/|node:)|${wire}|${protocols}(?!ssh/|rdp/)|packages/console/src/(?!screens/))`,
  },
  {
    within: /^packages\/console\/src\/screens\/([^/]+)\//,
    may: `^((?!packages/|node:)|${wire}|${protocols}(?!ssh/|rdp/)|packages/console/src/(?!screens/)|packages/console/src/screens/$1/)`,
  },
  { within: /^packages\/console\/src\//, may: `^((?!packages/|node:)|${wire}|${protocols}(?!ssh/|rdp/)|packages/console/src/)` },
  { within: /^packages\/cli\//, may: `^(${library}|packages/(wire|protocols|proxy|agent|cli)/|scripts/launch/)` },
  { within: /^packages\/testkit\//, may: '^(?!e2e/|bench/)' },
]

/** Tests may use test tools and the test world on top of what their room may import. */
const testTools = /^(vitest|fast-check|node:|ws$|ssh2$|packages\/testkit\/)/
const isTest = /\.(test|e2e)\.tsx?$/

export function isAllowed({ from, to }: Import): boolean {
  if (isTest.test(from) && testTools.test(to)) return true
  if (to === `${from.split('/').slice(0, 2).join('/')}/package.json`) return true // a room's own version
  for (const { within, may } of rooms) {
    const match = within.exec(from)
    if (match) return new RegExp(may.replaceAll('$1', match[1] ?? '')).test(to)
  }
  return true
}
