import { useMemo, useState } from 'react'
import type { Document } from 'yaml'
import { problemsOf, serverProblem } from '../documents/problems.ts'
import type { Stored } from '../documents/revision.ts'
import type { Problem, Shape } from '../documents/shape.ts'
import { formatText, parseText, rangeAt, textAt } from '../documents/yaml-text.ts'

export interface DocumentState {
  text: string
  setText: (text: string) => void
  /** As it was last stored; empty text for a new one. */
  saved: Stored
  /** After a save, or when somebody else's version is taken over. */
  setSaved: (saved: Stored) => void
  document: Document.Parsed
  /** Whether the text is YAML at all; without that the form rests. */
  parses: boolean
  dirty: boolean
  problems: readonly Problem[]
  format: () => void
}

export interface DocumentOptions {
  saved: Stored
  /** What a new one starts from, when nothing is stored yet. */
  template?: string
  shape: Shape
  /** The name it is stored under; it cannot change. */
  name?: string | undefined
}

/** What the proxy refused, and the text that it was about. */
export interface Refusal {
  error: Error
  text: string
}

/** One document that several editors show and change. The text is the truth; everything else is read from it. */
export function useDocument({ saved: first, template = '', shape, name }: DocumentOptions): DocumentState {
  const [saved, setSaved] = useState(first)
  const start = first.text === '' ? template : first.text
  const [text, setText] = useState(start)
  const document = useMemo(() => parseText(text), [text])
  const problems = useMemo(() => {
    const found = problemsOf(document, shape)
    const renamed = name !== undefined && document.errors.length === 0 && textAt(document, ['metadata', 'name']) !== name
    if (renamed) found.push(renameProblem(document, name))
    return found
  }, [document, shape, name])
  return {
    text,
    setText,
    saved,
    setSaved(next) {
      setSaved(next)
      setText(next.text)
    },
    document,
    parses: document.errors.length === 0,
    dirty: text !== (saved.text === '' ? start : saved.text),
    problems,
    format: () => setText(formatText(text)),
  }
}

/** The state with what the proxy said about this very text at the lines that it named. */
export function withRefusals(state: DocumentState, refusals: readonly (Refusal | undefined)[]): DocumentState {
  const found = refusals.flatMap((refusal) => (refusal?.text === state.text ? (serverProblem(state.document, refusal.error) ?? []) : []))
  const told = found.filter((one, index) => found.findIndex(({ message }) => message === one.message) === index)
  return told.length === 0 ? state : { ...state, problems: [...state.problems, ...told] }
}

function renameProblem(document: Document, name: string): Problem {
  const path = ['metadata', 'name']
  const [from, to] = rangeAt(document, path)
  return {
    path,
    from,
    to,
    severity: 'error',
    message: `The name cannot change from ${name}. Duplicate it under the new name and delete this one.`,
  }
}
