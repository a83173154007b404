/** Keyboards by language, as Windows numbers them. The keys of a desktop mean what they mean on the keyboard of who uses it. */
const layouts: Readonly<Record<string, number>> = {
  'de-ch': 0x807,
  'en-gb': 0x809,
  'es-mx': 0x80a,
  'fr-be': 0x80c,
  'fr-ca': 0x1009,
  'fr-ch': 0x100c,
  'nl-be': 0x813,
  'pt-br': 0x416,
  cs: 0x405,
  da: 0x406,
  de: 0x407,
  el: 0x408,
  es: 0x40a,
  et: 0x425,
  fi: 0x40b,
  fr: 0x40c,
  he: 0x40d,
  hu: 0x40e,
  it: 0x410,
  ja: 0x411,
  ko: 0x412,
  nb: 0x414,
  nl: 0x413,
  no: 0x414,
  pl: 0x415,
  pt: 0x816,
  ro: 0x418,
  ru: 0x419,
  sk: 0x41b,
  sl: 0x424,
  sv: 0x41d,
  tr: 0x41f,
  uk: 0x422,
}
export const usKeyboard = 0x409

/** `language` as browsers tell it, such as `de-AT`. */
export function keyboardOf(language: string): number {
  const name = language.toLowerCase()
  return layouts[name] ?? layouts[name.split('-')[0] ?? ''] ?? usKeyboard
}
