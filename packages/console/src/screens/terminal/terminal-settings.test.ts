import { expect, test } from 'vitest'
import { parseSettings } from './terminal-settings.ts'

const usual = parseSettings(null)

test('what is stored holds; what is damaged or out of bounds counts as the default, field by field', () => {
  expect(usual).toMatchObject({ theme: 'page', fontSize: 13, asksBeforePaste: true, copyOnSelect: false })
  expect(parseSettings('{"theme":"contrast","fontSize":20,"copyOnSelect":true}')).toEqual({
    ...usual,
    theme: 'contrast',
    fontSize: 20,
    copyOnSelect: true,
  })
  expect(parseSettings('{"theme":"pink","fontSize":900,"scrollback":1e9,"bell":"loud","font":7}')).toEqual(usual)
  expect(parseSettings('no JSON')).toEqual(usual)
  expect(parseSettings('null')).toEqual(usual)
})
