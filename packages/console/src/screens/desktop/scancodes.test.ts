import { expect, test } from 'vitest'
import { scancodeOf } from './scancodes.ts'

test('keys have the codes of set 1', () => {
  const known = {
    Escape: 0x01,
    Digit0: 0x0b,
    Tab: 0x0f,
    KeyP: 0x19,
    ControlLeft: 0x1d,
    KeyL: 0x26,
    Backslash: 0x2b,
    KeyM: 0x32,
    CapsLock: 0x3a,
  }
  const more = {
    F10: 0x44,
    Numpad7: 0x47,
    NumpadDecimal: 0x53,
    F11: 0x57,
    NumpadEqual: 0x59,
    F13: 0x64,
    F23: 0x6e,
    Delete: 0xe053,
    OSLeft: 0xe05b,
  }
  for (const [code, scancode] of Object.entries({ ...known, ...more })) expect(scancodeOf(code), code).toBe(scancode)
  expect(scancodeOf('Fn')).toBeUndefined()
})
