/** The query of a start. Consoles escape its last parameter loosely, so that it is everything behind its name. */

export interface StartQuery {
  connector: string
  redirect: string
}

const marker = '&redirect_url='

/** `url` is the address as it was sent. Missing parts are empty. */
export function readStart(url: string): StartQuery {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const at = query.indexOf(marker)
  const connector = new URLSearchParams(at < 0 ? query : query.slice(0, at)).get('connector_id') ?? ''
  return { connector, redirect: at < 0 ? '' : unescaped(query.slice(at + marker.length)) }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return '' // broken escapes: nothing that leads anywhere
  }
}
