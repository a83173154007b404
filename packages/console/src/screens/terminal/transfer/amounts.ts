/** Amounts of a transfer in words. */
const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1.2 MB`; powers of 1000, as file managers of most systems count. */
export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  const digits = power === 0 || value >= 100 ? 0 : 1
  return `${value.toFixed(digits)} ${units[power]}`
}

/** `8 s`, `3 min`, `2 h`: how long something still takes, roundly. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
