/** What has been chosen for locks so far. */
import { createContext, use } from 'react'
import type { Choice } from './lock-kinds.ts'

export interface Choices {
  isChosen: (choice: Choice) => boolean
  onToggle: (choice: Choice) => void
}

export const ChoicesContext = createContext<Choices | undefined>(undefined)

export function useChoices(): Choices {
  const choices = use(ChoicesContext)
  if (!choices) throw new Error('a target outside of the new lock')
  return choices
}
