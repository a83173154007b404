/** How a form shows parts of a document: data, so that kinds differ in lists and not in code. */
import { createContext, use } from 'react'
import { formatPath, leafPaths, valueAt } from '../documents/yaml-text.ts'
import type { Path } from '../documents/yaml-text.ts'
import type { DocumentState } from './use-document.ts'

export type FieldSpec = { path: Path; label: string; help?: string; required?: boolean } & (
  | { as: 'text'; mono?: boolean; lines?: true; placeholder?: string; fixed?: boolean; whyNot?: (text: string) => string | undefined }
  | { as: 'secret' }
  | { as: 'texts'; suggestions?: readonly string[]; whyNot?: (text: string) => string | undefined }
  | { as: 'labels' }
  | { as: 'flag'; usual: string }
  | { as: 'choice'; usual: string; choices: readonly { value: string; label: string }[] }
  | { as: 'number'; placeholder?: string }
)

export type FormState = Pick<DocumentState, 'document' | 'text' | 'setText' | 'problems'> & { readOnly: boolean }

const Context = createContext<FormState | undefined>(undefined)
export const FormProvider = Context

export function useFormState(): FormState {
  const form = use(Context)
  if (!form) throw new Error('a form field outside of a document editor')
  return form
}

export const startsWith = (path: Path, start: Path): boolean => start.every((part, index) => path[index] === part)

/** The first complaint about this path or something inside it. */
export function problemAt(form: Pick<FormState, 'problems'>, path: Path): string | undefined {
  return form.problems.find((problem) => startsWith(problem.path, path))?.message
}

/** What the document holds that none of these paths shows. */
export function pathsOutside({ document }: Pick<FormState, 'document'>, shown: readonly Path[]): string[] {
  const outside = leafPaths(document).filter((path) => !shown.some((one) => startsWith(path, one)) && holds(valueAt(document, path)))
  return [...new Set(outside.map((path) => formatPath(path.slice(0, 4))))]
}

/** Empty maps and lists say nothing that could be overlooked. */
const holds = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0)
