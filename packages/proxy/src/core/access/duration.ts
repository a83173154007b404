/** Durations as Go writes them: `30h0m0s`, `1.5h`, `300ms`. */
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const day = 24 * 3_600_000

/** Milliseconds; undefined for text that is no duration. Days (`14d`) are understood too. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unit === 'd' ? day : (unitMs[unit ?? ''] ?? 0)), 0)
}

/** `5400000` → `1h30m0s`; below a second `300ms`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1000) return `${ms}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor((ms % 3_600_000) / 60_000)
  const seconds = (ms % 60_000) / 1000
  return `${hours ? `${hours}h` : ''}${hours || minutes ? `${minutes}m` : ''}${seconds}s`
}
