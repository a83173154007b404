/** The query of a start. Consoles escape its last parameter loosely, so that it is everything behind its name. */

export interface StartQuery {
  connector: string
  redirect: string
}

const marker = '&redirect_url='

/** `url` is the address as it was sent. Undefined when one of the two is missing. */
export function readStart(url: string): StartQuery | undefined {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const at = query.indexOf(marker)
  const connector = new URLSearchParams(query.slice(0, Math.max(at, 0))).get('connector_id')
  return connector ? { connector, redirect: unescaped(query.slice(at + marker.length)) } : undefined
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return '' // broken escapes: nothing that leads anywhere
  }
}
