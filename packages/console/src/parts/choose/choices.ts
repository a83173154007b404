/** What has been chosen so far from lists of several kinds: to be locked, or to be asked for. */
import { createContext, use } from 'react'

/** One thing of a list. */
export interface Choice {
  kind: string
  /** As the wire names it. */
  value: string
  /** As people know it. */
  name: string
}

export interface Choices {
  isChosen(choice: Choice): boolean
  onToggle(choice: Choice): void
}

export const isSame = (a: Choice, b: Choice): boolean => a.kind === b.kind && a.value === b.value
export const keyOf = ({ kind, value }: Choice): string => `${kind}:${value}`

export const ChoicesContext = createContext<Choices | undefined>(undefined)

export function useChoices(): Choices {
  const choices = use(ChoicesContext)
  if (!choices) throw new Error('a choice outside of the screen that collects them')
  return choices
}
