export type Fit = {
  /** Width of each pill, in order, px. */
  widths: readonly number[]
  /** Room in one line, px. */
  room: number
  lines: number
  gap: number
  /** Width kept free for "+N" at the end of the last line when not all fit, px. */
  more: number
}

/** How many pills fit, whole, from the left, leaving room for "+N" when some do not. */
export function fittingCount({ widths, room, lines, gap, more }: Fit): number {
  if (place(widths, room, lines, gap, 0) === widths.length) return widths.length
  return place(widths, room, lines, gap, more + gap)
}

function place(widths: readonly number[], room: number, lines: number, gap: number, reserve: number): number {
  let [line, used, count] = [1, 0, 0]
  for (const width of widths) {
    const start = used === 0 ? 0 : used + gap
    const limit = line === lines ? room - reserve : room
    if (start + width <= limit) used = start + width
    else if (line < lines && used > 0) {
      line += 1
      if (width > (line === lines ? room - reserve : room)) return count
      used = width
    } else return count
    count += 1
  }
  return count
}
