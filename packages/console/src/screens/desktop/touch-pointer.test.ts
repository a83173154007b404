import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TouchPointer } from './touch-pointer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function touched() {
  const said: string[] = []
  const pointer = new TouchPointer({
    move: (x, y) => void said.push(`move ${x} ${y}`),
    button: (button, isDown) => void said.push(`${button} ${isDown ? 'down' : 'up'}`),
    wheel: (axis, delta) => void said.push(`${axis} ${delta}`),
  })
  return { said, pointer }
}

test('a tap clicks, and a finger that moves drags', () => {
  const { said, pointer } = touched()
  pointer.down(1, 10, 10)
  pointer.move(1, 12, 11)
  pointer.up(1)
  expect(said.splice(0)).toEqual(['move 10 10', 'left down', 'left up'])
  pointer.down(1, 10, 10)
  pointer.move(1, 40, 10)
  pointer.up(1)
  expect(said).toEqual(['move 10 10', 'left down', 'move 40 10', 'left up'])
})

test('a finger that stays clicks with the right button, once', () => {
  const { said, pointer } = touched()
  pointer.down(1, 5, 5)
  vi.advanceTimersByTime(600)
  pointer.move(1, 90, 90)
  pointer.up(1)
  expect(said).toEqual(['move 5 5', 'right down', 'right up'])
})

test('two fingers scroll, and what was dragged is let go', () => {
  const { said, pointer } = touched()
  pointer.down(1, 0, 0)
  pointer.move(1, 20, 0)
  pointer.down(2, 50, 50)
  pointer.move(1, 20, 30)
  pointer.move(2, 50, 80)
  pointer.up(1)
  pointer.up(2)
  expect(said).toEqual(['move 0 0', 'left down', 'move 20 0', 'left up', 'vertical 30'])
})
