const unit = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`

/** A rounded duration in words: "5 minutes". */
export function durationInWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return unit(seconds, 'second')
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return unit(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? unit(hours, 'hour') : unit(Math.round(hours / 24), 'day')
}
