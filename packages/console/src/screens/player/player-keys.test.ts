import { expect, test } from 'vitest'
import { playerCommand } from './player-keys.ts'

const press = (key: string, held = '') =>
  playerCommand({ key, ctrlKey: held.includes('C'), metaKey: held.includes('M'), altKey: held.includes('A'), shiftKey: held.includes('S') })

test('every key of the player does its part', () => {
  expect([press(' '), press('k')]).toEqual([{ do: 'toggle' }, { do: 'toggle' }])
  expect([press('ArrowLeft'), press('l')]).toEqual([
    { do: 'skip', by: -5000 },
    { do: 'skip', by: 10_000 },
  ])
  expect([press('7'), press('Home'), press('End')]).toEqual([{ do: 'tenth', tenth: 7 }, { do: 'tenth', tenth: 0 }, { do: 'end' }])
  expect([press('>', 'S'), press('i'), press('f'), press('f', 'C'), press('C', 'CS')]).toEqual([
    { do: 'speed', by: 1 },
    { do: 'idle' },
    { do: 'fullscreen' },
    { do: 'find' },
    { do: 'copy' },
  ])
  expect([press('n'), press('['), press(']'), press('p')].map((command) => command?.do === 'mark' && command.by)).toEqual([1, -1, 1, -1])
})

test('the browser keeps its own keys', () => {
  for (const [key, held] of [
    ['l', 'C'],
    ['r', 'C'],
    ['c', 'C'],
    ['ArrowLeft', 'A'],
    ['x', ''],
    ['Tab', ''],
  ] as const)
    expect(press(key, held), `${held} ${key}`).toBeUndefined()
})
