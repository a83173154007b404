import { ApiError } from '@sallyport/wire/errors.ts'
import { useState } from 'react'
import { withRevision } from '../documents/revision.ts'
import type { Stored } from '../documents/revision.ts'
import { useAction } from '../use-action.ts'
import type { Refusal } from './use-document.ts'

export interface SavingOptions {
  text: string
  saved: Stored
  write: (content: string) => Promise<Stored>
  /** What the proxy has now, when somebody else was faster. */
  readLatest: () => Promise<Stored>
  onSaved: (stored: Stored) => void
}

export interface Saving {
  busy: boolean
  /** Why the last try failed, and the text that it was made with. */
  refusal: Refusal | undefined
  /** The changes are being looked at before they are saved. */
  reviewing: boolean
  /** What somebody else stored meanwhile. */
  conflict: Stored | undefined
  /** Saves; what is stored already is looked at first. */
  begin: () => void
  confirm: () => void
  /** Saves over somebody else's version. */
  overwrite: () => void
  cancel: () => void
}

/** Saving a document: a look at the changes, then the call, then a way out when it changed on the server. */
export function useSaving({ text, saved, write, readLatest, onSaved }: SavingOptions): Saving {
  const [reviewing, setReviewing] = useState(false)
  const [conflict, setConflict] = useState<Stored>()
  const [refusal, setRefusal] = useState<Refusal>()
  const cancel = (): void => {
    setReviewing(false)
    setConflict(undefined)
  }
  const { busy, start } = useAction(async (revision: string) => {
    setRefusal(undefined)
    try {
      const stored = await write(withRevision({ text, revision }))
      cancel()
      onSaved(stored)
    } catch (cause) {
      cancel()
      if (cause instanceof ApiError && cause.status === 412) setConflict(await readLatest())
      else setRefusal({ error: cause instanceof Error ? cause : new Error(String(cause)), text })
    }
  })
  return {
    busy,
    refusal,
    reviewing,
    conflict,
    begin: () => (saved.text === '' ? start(saved.revision) : setReviewing(true)),
    confirm: () => start(saved.revision),
    overwrite: () => conflict && start(conflict.revision),
    cancel,
  }
}
