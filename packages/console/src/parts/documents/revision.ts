/** The revision of a stored document guards against overwriting somebody else's change. People do not see it. */
import { isMap, isNode, isScalar } from 'yaml'
import { parseText, setAt } from './yaml-text.ts'

export interface Stored {
  text: string
  /** Empty when the proxy gives none. */
  revision: string
}

/** Takes the line of `metadata.revision` out of a document. */
export function withoutRevision(content: string): Stored {
  const metadata = parseText(content).get('metadata', true)
  const pair = isMap(metadata) ? metadata.items.find((item) => isScalar(item.key) && item.key.value === 'revision') : undefined
  if (!pair || !isNode(pair.key) || !pair.key.range || !isScalar(pair.value)) return { text: content, revision: '' }
  const start = content.lastIndexOf('\n', pair.key.range[0]) + 1
  if (content.slice(start, pair.key.range[0]).trim() !== '') return { text: content, revision: '' } // not on a line of its own
  const end = content.indexOf('\n', pair.key.range[0])
  return { text: content.slice(0, start) + (end < 0 ? '' : content.slice(end + 1)), revision: String(pair.value.value) }
}

/** The document to send. A revision that somebody typed themselves is theirs. */
export function withRevision({ text, revision }: Stored): string {
  if (revision === '' || parseText(text).getIn(['metadata', 'revision']) !== undefined) return text
  return setAt(text, ['metadata', 'revision'], revision)
}
