/** The rules of CONTRIBUTING.md that can be checked by reading, over the whole tree. */
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAllowed } from './rules.ts'
import { importsOf, readTree, root } from './tree.ts'

const tree = readTree()
const code = tree.filter(({ path }) => /\.(ts|tsx|mjs)$/.test(path))
const shipped = code.filter(({ path }) => /^packages\/(?!testkit)[a-z]+\/src\//.test(path) && !/\.test\.tsx?$/.test(path))
const paths = (files: readonly { path: string }[]): string[] => files.map(({ path }) => path)

test('a room imports only what it may', () => {
  const seen = code.flatMap(importsOf)
  expect(seen.length).toBeGreaterThan(100)
  expect(seen.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
})

test.each([
  ['packages/wire/src/a.ts', 'node:fs'],
  ['packages/protocols/src/a.ts', 'packages/protocols/src/ssh/b.ts'],
  ['packages/proxy/src/core/a.ts', 'packages/proxy/src/areas/users/routes.ts'],
  ['packages/proxy/src/areas/users/routes.ts', 'packages/proxy/src/areas/mfa/store.ts'],
  ['packages/proxy/src/kinds/ssh/dial.ts', 'packages/proxy/src/areas/nodes/store.ts'],
  ['packages/console/src/ui/Table.tsx', 'packages/wire/src/acl.ts'],
  ['packages/console/src/screens/nodes/Nodes.tsx', 'packages/console/src/screens/audit/Audit.tsx'],
  ['packages/agent/src/main.ts', 'packages/proxy/src/main.ts'],
  ['packages/cli/src/main.ts', 'packages/testkit/src/world.ts'],
])('%s may not import %s', (from, to) => {
  expect(isAllowed({ from, to })).toBe(false)
})

test('imports inside the tree name the file with its extension', () => {
  const inside = code.flatMap(importsOf).filter(({ to }) => /^(packages|e2e|bench|scripts)\//.test(to))
  expect(inside.filter(({ to }) => !/\.(ts|tsx|mjs|css|json|svg|woff2)(\?[a-z]+)?$/.test(to))).toEqual([])
})

test('a file is short enough to read in one sitting', () => {
  const lines = ({ text }: { text: string }): number => text.split('\n').length
  expect(code.filter((file) => lines(file) > 401).map((file) => `${file.path}: ${lines(file)} lines`)).toEqual([])
})

describe('names', () => {
  test('no default exports, except where a tool demands one', () => {
    expect(paths(code.filter(({ path, text }) => /^export default/m.test(text) && !/\.config\.ts$/.test(path)))).toEqual([])
  })

  test('no barrels: nothing is exported from one file by way of another', () => {
    expect(paths(code.filter(({ text }) => /^export \*/m.test(text)))).toEqual([])
    const registries = /(^|\/)(kinds|targets|migrations|kinds\/[a-z]+)\/index\.tsx?$/
    expect(paths(code.filter(({ path }) => /^index\./.test(basename(path)) && !registries.test(path)))).toEqual([])
  })

  test('nothing is called after its lack of a purpose', () => {
    expect(paths(tree.filter(({ path }) => /(^|[/.-])(utils?|helpers?|common|misc|managers?)([/.-]|$)/i.test(path)))).toEqual([])
  })

  test('files are kebab-case, component files PascalCase', () => {
    const component = /^[A-Z][A-Za-z0-9]*(\.test)?\.tsx?$/
    const other = /^[a-z0-9]+([.-][a-z0-9]+)*\.(tsx?|mjs)$/
    expect(paths(code.filter(({ path }) => !component.test(basename(path)) && !other.test(basename(path))))).toEqual([])
  })
})

test('what ships has no branch for tests and leaves nothing to be done', () => {
  expect(paths(shipped.filter(({ text }) => /NODE_ENV|VITEST|\bTODO\b|\bFIXME\b/.test(text)))).toEqual([])
})

test('nothing committed names this machine or a package registry', () => {
  const telling = [root, dirname(root)].filter((path) => path.split('/').length > 2)
  const named = tree.filter(({ path, text }) => {
    if (path === 'package-lock.json' || path === '.npmrc')
      return /https?:\/\/(?!opencollective|github|paulmillr|eslint|tidelift|buymeacoffee|www\.patreon)[^"]*\.tgz|registry\s*=|_auth/.test(
        text,
      )
    return telling.some((one) => text.includes(`${one}/`))
  })
  expect(paths(named)).toEqual([])
})
