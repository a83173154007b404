import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutputPlace } from './output-place.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (shown: Uint8Array): string => new TextDecoder().decode(shown)

test('a server that does not count: everything is shown', () => {
  const place = new OutputPlace()
  expect(place.begin(undefined)).toBe(false)
  expect(text(place.take(bytes('all')))).toBe('all')
  expect(place.have).toBeUndefined()
})

test('what was shown before is not shown again; notices are, and what restores a fresh screen only on a fresh one', () => {
  const place = new OutputPlace()
  place.begin(100)
  place.announce(4, false)
  place.take(bytes('MODEone two'))
  expect(place.have).toBe(107)
  expect(place.begin(100)).toBe(false)
  place.announce(4, false)
  expect(text(place.take(bytes('MODEone two three')))).toBe(' three')
  place.announce(2, true)
  expect(text(place.take(bytes('!!four')))).toBe('!!four')
  expect(place.begin(104)).toBe(false)
  place.announce(2, true)
  expect(text(place.take(bytes('??two')))).toBe('??')
  expect(place.begin(200)).toBe(true)
  expect(place.have).toBe(200)
})

test('however the output is cut, and wherever the server begins, each byte is shown once', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' }),
      fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 6 }),
      (whole, visits) => {
        const place = new OutputPlace()
        place.begin(0)
        let shown = ''
        for (const [from, length] of [...visits, [0, whole.length]] as const) {
          const start = from % ((place.have ?? 0) + 1)
          expect(place.begin(start)).toBe(false)
          const visit = whole.slice(start, start + length)
          for (const piece of [visit.slice(0, 3), visit.slice(3)]) shown += text(place.take(bytes(piece)))
        }
        expect(shown).toBe(whole)
      },
    ),
  )
})
