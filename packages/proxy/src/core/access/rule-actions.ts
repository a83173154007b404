/** `actions` of rules: `log("info", "%v looked at %v", user.metadata.name, session.sid)` writes a line when its rule decides. */
import { PredicateError } from '@sallyport/protocols/predicate/expression.ts'
import { checkCondition } from '@sallyport/protocols/predicate/language.ts'
import { actionLanguage } from '@sallyport/protocols/predicate/languages.ts'
import { parsePredicate } from '@sallyport/protocols/predicate/parse.ts'
import { fieldAt, valuesOf } from '../inventory/predicate.ts'
import type { Subject } from './where.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const
export type ActionLevel = (typeof levels)[number]
export type ActionLog = (level: ActionLevel, message: string) => void

interface Action {
  level: ActionLevel
  format: string
  values: ((subject: Subject) => string)[]
}

const levelOf = (text: string): ActionLevel | undefined => {
  const lower = text.toLowerCase()
  return levels.find((level) => level === (lower === 'warning' ? 'warn' : lower))
}

/** Throws PredicateError. */
function compileAction(source: string): Action {
  const call = parsePredicate(source)
  checkCondition(call, actionLanguage)
  if (call.kind !== 'call') throw new PredicateError('an action is log("level", "text", values)', call)
  const [level, format, ...values] = call.operands
  const known = level?.kind === 'text' ? levelOf(level.value) : undefined
  if (!known) throw new PredicateError(`the level is one of ${levels.map((each) => `"${each}"`).join(', ')}`, level ?? call)
  if (format?.kind !== 'text') throw new PredicateError('the second value of log is a text in double quotes', format ?? call)
  return {
    level: known,
    format: format.value,
    values: values.map((value) => {
      if (value.kind === 'path') return (subject) => valuesOf(fieldAt(subject, value.path)).join(', ')
      if (value.kind === 'text' || value.kind === 'number' || value.kind === 'boolean') return () => String(value.value)
      throw new PredicateError('log takes names and texts', value)
    }),
  }
}

/** Why text is no action; undefined when it is one. */
export function whyNotAction(source: string): string | undefined {
  try {
    compileAction(source)
    return undefined
  } catch (error) {
    if (!(error instanceof PredicateError)) throw error
    return `could not parse the action: ${error.message} (at character ${error.at + 1})`
  }
}

const verb = /%(?:[vsdqt]|%)/g

/** Writes what the actions of a rule say about a subject. */
export function runActions(actions: readonly string[], subject: Subject, log: ActionLog): void {
  for (const source of actions) {
    const { level, format, values } = compileAction(source)
    const texts = values.map((value) => value(subject))
    log(
      level,
      format.replaceAll(verb, (found) => (found === '%%' ? '%' : (texts.shift() ?? '(missing)'))),
    )
  }
}
