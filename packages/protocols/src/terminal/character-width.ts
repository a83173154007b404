/**
 * Cells that a character takes, as the C libraries of today's servers count them: the emulator's own table is older
 * and gives emoji one cell, which shifts every line that a shell redraws.
 */
export function characterWidth(code: number): 0 | 1 | 2 {
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1
  const character = String.fromCodePoint(code)
  if (code === 0x200b || /[\p{Mn}\p{Me}]|[\u1160-\u11ff\u200c-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/u.test(character)) return 0
  return isWide(code) || /\p{Emoji_Presentation}/u.test(character) ? 2 : 1
}

/** First and last code points of the wide and full-width blocks of Unicode's annex 11. */
const wideBlocks = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
] as const

const isWide = (code: number): boolean => wideBlocks.some(([first, last]) => code >= first && code <= last)

/** As the emulator's own type of that name, in the browser and without one. */
export interface WidthProvider {
  readonly version: string
  wcwidth(code: number): 0 | 1 | 2
  charProperties(code: number, preceding: number): number
}

/** The widths as the emulator takes them: it packs a width and whether the character joins the one before. */
export function widthProvider(version: string): WidthProvider {
  const known = new Map<number, 0 | 1 | 2>()
  const wcwidth = (code: number): 0 | 1 | 2 => {
    if (code < 0x7f && code >= 0x20) return 1
    let width = known.get(code)
    if (width === undefined) {
      width = characterWidth(code)
      known.set(code, width)
    }
    return width
  }
  return {
    version,
    wcwidth,
    charProperties(code, preceding) {
      const own = wcwidth(code)
      const before = (preceding >> 1) & 3
      const joins = own === 0 && before > 0
      return ((joins ? Math.max(own, before) : own) << 1) | (joins ? 1 : 0)
    },
  }
}
