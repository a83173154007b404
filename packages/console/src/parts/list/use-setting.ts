import { useState } from 'react'
import { settingPrefix } from '../../api/session-storage.ts'

/** A small choice of the viewer that outlives the page and signing out. What is stored but not among `choices` counts as the default. */
export function useSetting<T extends string>(name: string, choices: readonly T[], fallback: T): [T, (value: T) => void] {
  const key = settingPrefix + name
  const [value, setValue] = useState<T>(() => choices.find((choice) => choice === readStored(key)) ?? fallback)
  return [
    value,
    (next) => {
      setValue(next)
      writeStored(key, next)
    },
  ]
}

/** A stored text; undefined when there is none or storage is forbidden. */
export function readStored(key: string): string | undefined {
  try {
    return window.localStorage.getItem(key) ?? undefined
  } catch {
    return undefined // forbidden by the browser: the same as nothing stored
  }
}

/** Stores a text; without storage the value lasts as long as the page. */
export function writeStored(key: string, value: string): void {
  try {
    window.localStorage.setItem(key, value)
  } catch {
    return
  }
}
