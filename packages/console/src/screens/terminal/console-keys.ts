/** What a key asks of the console while a terminal has the focus. */
export type ConsoleCommand =
  | { do: 'tab'; index: number }
  /** To the next tab (1) or the one before (-1). */
  | { do: 'step'; by: 1 | -1 }
  | { do: 'copy' }
  /** The browser's own paste follows; the program must not see the key. */
  | { do: 'paste' }
  | { do: 'find' }
  | { do: 'leave' }
  | { do: 'broadcast' }
  /** The sheet of these keys. */
  | { do: 'keys' }
  | { do: 'zoom'; by: number }

type Key = Pick<KeyboardEvent, 'type' | 'key' | 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>

/**
 * The console's meaning of a key; undefined leaves it to the program. `mac`: Cmd takes the place of Ctrl, Ctrl that of
 * Alt. `selected`: something is, and the viewer wants Ctrl+C to copy it.
 */
export function consoleCommand(event: Key, mac: boolean, selected = false): ConsoleCommand | undefined {
  const { ctrlKey: ctrl, shiftKey: shift, altKey: alt, metaKey: meta, code } = event
  const digit = /^Digit([1-9])$/.exec(code)
  const tabKey = mac ? ctrl && !alt && !meta : alt && !ctrl && !meta
  if (digit && tabKey && !shift) return { do: 'tab', index: Number(digit[1]) - 1 }
  if (alt && !ctrl && !meta && !shift && (code === 'PageUp' || code === 'PageDown')) return { do: 'step', by: code === 'PageUp' ? -1 : 1 }
  if (ctrl && shift && !alt && !meta) {
    if (code === 'Escape') return { do: 'leave' }
    if (code === 'KeyB') return { do: 'broadcast' }
    if (code === 'Slash') return { do: 'keys' }
  }
  if (selected && ctrl && !shift && !alt && !meta && code === 'KeyC') return { do: 'copy' }
  const main = mac ? meta && !ctrl : ctrl && !meta
  if (main && !alt) {
    const lettered = mac || shift
    if (lettered && code === 'KeyC') return { do: 'copy' }
    if (lettered && code === 'KeyV') return { do: 'paste' }
    if ((mac || shift) && code === 'KeyF') return { do: 'find' }
    if (code === 'Equal' || code === 'NumpadAdd') return { do: 'zoom', by: 1 }
    if ((code === 'Minus' && !shift) || code === 'NumpadSubtract') return { do: 'zoom', by: -1 }
    if ((code === 'Digit0' && !shift) || code === 'Numpad0') return { do: 'zoom', by: 0 }
  }
  if (code === 'Insert' && !alt && !meta) {
    if (ctrl && !shift) return { do: 'copy' }
    if (shift && !ctrl) return { do: 'paste' }
  }
  return undefined
}
