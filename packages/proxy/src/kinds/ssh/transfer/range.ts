/** The `Range` of a request. */

/**
 * The part of a thing of `size` bytes that is asked for; undefined where the whole is to be sent: for other units, several
 * ranges, and what lies outside, since a client that resumes behind the end has to begin again.
 */
export function parseRange(header: string, size: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header.trim()) ?? []
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length > 0 ? { start: size - length, end: size } : undefined
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  return start < end ? { start, end } : undefined
}
