import { useEffect, useState } from 'react'
import type { RecordingSource } from './recording-source.ts'
import type { OutputHit } from './search-output.ts'

/** Pause after typing before the output is looked through. */
const typingPause = 250

export interface OutputSearch {
  text: string
  setText: (text: string) => void
  hits: readonly OutputHit[]
  busy: boolean
  failure: string | undefined
  current: OutputHit | undefined
  setCurrent: (hit: OutputHit | undefined) => void
}

interface Found {
  text: string
  hits: readonly OutputHit[]
  failure?: string
}
const nothing: Found = { text: '', hits: [] }

/** Search in a recording's output; a newer text takes over from an older search. */
export function useOutputSearch(source: RecordingSource, first = ''): OutputSearch {
  const [text, setText] = useState(first)
  const [found, setFound] = useState(nothing)
  const [current, setCurrent] = useState<OutputHit>()
  useEffect(() => {
    if (text === '') return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      source.find(text, abort.signal).then(
        (hits) => !abort.signal.aborted && setFound({ text, hits }),
        (cause: unknown) =>
          !abort.signal.aborted && setFound({ text, hits: [], failure: cause instanceof Error ? cause.message : String(cause) }),
      )
    }, typingPause)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, source])
  const settled = text === '' ? nothing : found
  return { text, setText, hits: settled.hits, busy: text !== '' && found.text !== text, failure: settled.failure, current, setCurrent }
}
