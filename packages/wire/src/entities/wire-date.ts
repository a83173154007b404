/** A time of the wire; undefined for text that is none and for the zero time of year 1 ("never"). */
export function wireDate(text: string): Date | undefined {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() <= 1 ? undefined : date
}
