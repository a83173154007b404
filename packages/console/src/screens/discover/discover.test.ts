import { expect, test } from 'vitest'
import { commandOf, countdown } from './command.ts'
import { labelsOf, whyNotLabel } from './labels.ts'
import { filterTiles, tileOf, tiles } from './tiles.ts'

const names = (text: string, how: 'all' | 'install-node' | 'install-openssh' = 'all') =>
  filterTiles(tiles, { text, how }).map(({ id }) => id)

test('tiles are found by all words, in name or keywords, and by how they join', () => {
  expect(names('')).toEqual(tiles.map(({ id }) => id))
  expect(names('LINUX aws')).toEqual(['amazon-linux'])
  expect(names('openssh')).toEqual(['openssh'])
  expect(names('windows')).toEqual([])
  expect(names('', 'install-openssh')).toEqual(['openssh'])
  expect(tileOf('nothing')).toBeUndefined()
})
test('the command fetches the script of this console with the token', () => {
  const at = { baseUrl: 'https://p.example.com', token: 'ab', script: 'install-openssh' } as const
  expect(commandOf({ ...at, pin: '' })).toBe('sudo bash -c "$(curl -fsSL https://p.example.com/scripts/ab/install-openssh.sh)"')
  expect(commandOf({ ...at, pin: 'sha256//AB=' })).toBe(
    `sudo bash -c "$(curl -fsSLk --pinnedpubkey 'sha256//AB=' https://p.example.com/scripts/ab/install-openssh.sh)"`,
  )
})
test('what is left of a token counts down to zero', () => {
  expect([countdown(13_632_000), countdown(59_999), countdown(0), countdown(-5)]).toEqual(['03:47:12', '00:00:59', '00:00:00', '00:00:00'])
})
test('labels are key and value, each key once', () => {
  expect(labelsOf(['env=prod', 'team=a b', 'k='])).toEqual([
    { name: 'env', value: 'prod' },
    { name: 'team', value: 'a b' },
  ])
  expect(whyNotLabel(['env=prod'])).toBeUndefined()
  expect(whyNotLabel(['env'])).toBe('Enter both key and value')
  expect(whyNotLabel(['=x'])).toBe('Enter both key and value')
  expect(whyNotLabel(['a b=x'])).toBe('Use letters, digits and / _ . : - in keys')
  expect(whyNotLabel(['env=a', 'env=b'])).toBe('This label is already there')
})
