/** What a remote program or a clipboard may put into the page: titles, links, pasted text. */

const titleLimit = 120

/** A title that a program asked for: one line without control or direction-changing characters, at most 120 long. */
export function cleanTitle(title: string): string {
  const visible = title.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, ' ')
  const text = visible.replaceAll(/\s+/g, ' ').trim()
  return text.length > titleLimit ? `${text.slice(0, titleLimit - 1)}…` : text
}

/** The address when it is one that may be opened from terminal output (http or https, no credentials), else undefined. */
export function safeLink(text: string): string | undefined {
  if (text.length > 4096 || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  return url.username === '' && url.password === '' ? url.href : undefined
}

/**
 * Text as it may be pasted: line ends as one CR, and no control characters besides it and the tab, so that a
 * clipboard can neither end a bracketed paste early nor type control keys.
 */
export function cleanPaste(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, '\r').replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
}

/** Lines of a pasted text; a line end at the very end counts, because it runs the last line. */
export function pastedLines(text: string): number {
  return cleanPaste(text).split('\r').length
}
