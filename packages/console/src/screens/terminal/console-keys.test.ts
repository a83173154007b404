import { expect, test } from 'vitest'
import { consoleCommand } from './console-keys.ts'

const press = (code: string, held = '', mac = false, selected = false) =>
  consoleCommand(
    {
      type: 'keydown',
      key: '',
      code,
      ctrlKey: held.includes('C'),
      shiftKey: held.includes('S'),
      altKey: held.includes('A'),
      metaKey: held.includes('M'),
    },
    mac,
    selected,
  )

test('the console takes its own keys', () => {
  expect(press('Digit3', 'A')).toEqual({ do: 'tab', index: 2 })
  expect(press('KeyC', 'CS')).toEqual({ do: 'copy' })
  expect(press('KeyV', 'CS')).toEqual({ do: 'paste' })
  expect(press('Insert', 'S')).toEqual({ do: 'paste' })
  expect(press('KeyF', 'CS')).toEqual({ do: 'find' })
  expect(press('Escape', 'CS')).toEqual({ do: 'leave' })
  expect(press('Equal', 'C')).toEqual({ do: 'zoom', by: 1 })
  expect(press('KeyB', 'CS')).toEqual({ do: 'broadcast' })
  expect(press('Slash', 'CS')).toEqual({ do: 'keys' })
  expect(press('PageDown', 'A')).toEqual({ do: 'step', by: 1 })
  expect(press('KeyC', 'C', false, true)).toEqual({ do: 'copy' })
  expect(press('KeyC', 'M', true)).toEqual({ do: 'copy' })
  expect(press('Digit1', 'C', true)).toEqual({ do: 'tab', index: 0 })
})

test('everything a shell needs stays with the program', () => {
  for (const [code, held] of [
    ['KeyC', 'C'],
    ['KeyV', 'C'],
    ['KeyF', 'C'],
    ['KeyW', 'C'],
    ['Escape', ''],
    ['KeyB', 'A'],
    ['Minus', 'CS'],
    ['Digit2', 'CS'],
    ['KeyR', 'C'],
    ['PageUp', ''],
    ['Slash', 'C'],
  ] as const)
    expect(press(code, held), `${held} ${code}`).toBeUndefined()
  expect(press('KeyC', 'C', true)).toBeUndefined()
  expect(press('Digit1', 'A', true)).toBeUndefined()
})
