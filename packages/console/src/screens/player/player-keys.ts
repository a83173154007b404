/** What a key asks of the player. */
export type PlayerCommand =
  | { do: 'toggle' }
  | { do: 'skip'; by: number }
  | { do: 'tenth'; tenth: number }
  | { do: 'end' }
  | { do: 'speed'; by: 1 | -1 }
  | { do: 'idle' }
  | { do: 'mark'; by: 1 | -1 }
  | { do: 'fullscreen' }
  | { do: 'find' }
  | { do: 'copy' }

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

const plain: Record<string, PlayerCommand> = {
  ' ': { do: 'toggle' },
  k: { do: 'toggle' },
  ArrowLeft: { do: 'skip', by: -5000 },
  ArrowRight: { do: 'skip', by: 5000 },
  j: { do: 'skip', by: -10_000 },
  l: { do: 'skip', by: 10_000 },
  Home: { do: 'tenth', tenth: 0 },
  End: { do: 'end' },
  '<': { do: 'speed', by: -1 },
  '>': { do: 'speed', by: 1 },
  i: { do: 'idle' },
  n: { do: 'mark', by: 1 },
  ']': { do: 'mark', by: 1 },
  p: { do: 'mark', by: -1 },
  '[': { do: 'mark', by: -1 },
  f: { do: 'fullscreen' },
}

export function playerCommand({ key, ctrlKey, metaKey, altKey, shiftKey }: Key): PlayerCommand | undefined {
  if (altKey) return undefined
  if (ctrlKey || metaKey) {
    if (key.toLowerCase() === 'f' && !shiftKey) return { do: 'find' }
    if (key.toLowerCase() === 'c' && shiftKey) return { do: 'copy' }
    return undefined
  }
  if (/^[0-9]$/.test(key)) return { do: 'tenth', tenth: Number(key) }
  return plain[key]
}
