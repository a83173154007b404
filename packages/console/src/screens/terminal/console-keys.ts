/** What a key asks of the console while a terminal has the focus. */
export type ConsoleCommand =
  | { do: 'tab'; index: number }
  | { do: 'copy' }
  /** The browser's own paste follows; the program must not see the key. */
  | { do: 'paste' }
  | { do: 'find' }
  | { do: 'leave' }
  | { do: 'zoom'; by: number }

type Key = Pick<KeyboardEvent, 'type' | 'key' | 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>

/** The console's meaning of a key; undefined leaves it to the program. `mac`: Cmd takes the place of Ctrl, Ctrl that of Alt. */
export function consoleCommand(event: Key, mac: boolean): ConsoleCommand | undefined {
  const { ctrlKey: ctrl, shiftKey: shift, altKey: alt, metaKey: meta, code } = event
  const digit = /^Digit([1-9])$/.exec(code)
  const tabKey = mac ? ctrl && !alt && !meta : alt && !ctrl && !meta
  if (digit && tabKey && !shift) return { do: 'tab', index: Number(digit[1]) - 1 }
  if (ctrl && shift && !alt && !meta && code === 'Escape') return { do: 'leave' }
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
