/** What is wrong with a document: as YAML, as a document of its kind, and in the words of the server. */
import { ApiError } from '@sallyport/wire/errors.ts'
import type { Document } from 'yaml'
import { checkShape } from './shape.ts'
import type { Problem, Shape } from './shape.ts'
import { pathIn, rangeAt } from './yaml-text.ts'

export function problemsOf(document: Document, shape: Shape): Problem[] {
  if (document.errors.length === 0) return checkShape(document, shape)
  return document.errors.map(({ pos: [from, to], message }) => ({ path: [], from, to, severity: 'error', message: sentence(message) }))
}

/** The refusal of a save or a check at the line that it names; undefined when it names none. */
export function serverProblem(document: Document, error: Error | undefined): Problem | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined
  const path = pathIn(error.message)
  if (!path) return undefined
  const [from, to] = rangeAt(document, path)
  return { path, from, to, severity: 'error', message: error.message }
}

export const lineOf = (text: string, position: number): number => text.slice(0, position).split('\n').length

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
