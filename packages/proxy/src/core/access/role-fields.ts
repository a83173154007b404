/** How single values stand in a role: texts with templates and patterns, lists that may be one value, switches, durations. */
import { z } from 'zod'
import { formatDuration, parseDuration } from './duration.ts'
import { whyNotLabelExpression } from './label-expression.ts'
import { whyNotPattern } from './match.ts'
import { whyNotTemplate } from './templates.ts'
import { whyNotCondition } from './where.ts'
import type { ConditionKind } from './where.ts'

const maxTextLength = 2048
const maxListLength = 1000

/** A check that tells why not. */
const refuse =
  <T>(whyNot: (value: T) => string | undefined) =>
  (value: T, context: z.RefinementCtx): void => {
    const message = whyNot(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }

/** Numbers and booleans in place of a text are taken as they are written. */
const scalar = z
  .union([z.string(), z.number(), z.boolean()], { error: 'a text is needed here' })
  .transform(String)
  .pipe(z.string().max(maxTextLength))
const nonEmpty = scalar.pipe(z.string().min(1, { error: 'it is empty' }))

/** Templates and patterns. */
const pattern = scalar.superRefine(refuse((value) => whyNotTemplate(value) ?? whyNotPattern(value)))
export const text = pattern.superRefine(refuse((value) => (value === '' ? 'it is empty' : undefined)))
/** A name without templates or patterns. */
export const name = nonEmpty

/** A list; one value may stand without it, null and absent are the empty list. */
export const listOf = <T extends z.ZodType>(item: T) => {
  const list = z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).max(maxListLength))
  // A preprocessor takes anything; the type says what is meant to be given.
  const typed = list as z.ZodType<z.output<T>[], z.input<T>[] | z.input<T>>
  return typed.nullish().transform((given): z.output<T>[] => given ?? [])
}
export const texts = listOf(text)
export const names = listOf(name)
const whyWildcard = (list: readonly string[]): string | undefined =>
  list.includes('*') ? '"*" is not allowed here; name each one' : undefined
/** Lists in which each one must be named. */
export const namedTexts = texts.superRefine(refuse(whyWildcard))

const labelValues = listOf(pattern)
export const labelSelector = z
  .record(text, labelValues, { error: 'a map of labels is needed here' })
  .nullish()
  .transform((selector) => selector ?? {})
  .superRefine((selector, context) => {
    const every = Object.hasOwn(selector, '*') ? selector['*'] : undefined
    if (every && !every.includes('*')) context.addIssue({ code: 'custom', path: ['*'], message: 'the key "*" takes only the value "*"' })
  })
export const labelExpression = z
  .string()
  .nullish()
  .transform((source) => source ?? '')
  .superRefine(refuse((source) => (source.trim() === '' ? undefined : whyNotLabelExpression(source))))

export const condition = (kind: ConditionKind) =>
  z
    .string()
    .nullish()
    .transform((source) => source ?? '')
    .superRefine(refuse((source) => (source.trim() === '' ? undefined : whyNotCondition(source, kind))))

/** Free text that means nothing to us. */
export const remark = z
  .string()
  .max(maxTextLength)
  .nullish()
  .transform((given) => given ?? '')

export const duration = z
  .union([z.string(), z.number()], { error: 'a duration such as 8h or 30m is needed here' })
  .transform((value, context) => {
    const given = String(value)
    const ms = given === 'never' ? 0 : parseDuration(given)
    if (ms !== undefined) return formatDuration(ms)
    context.addIssue({ code: 'custom', message: `"${given}" is not a duration such as 8h or 30m` })
    return z.NEVER
  })

const words = new Map<unknown, boolean>([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
  [0, false],
])
const toWord = (value: unknown): unknown => words.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value
export const flag = z.preprocess(toWord, z.boolean({ error: 'true or false is needed here' }))
/** A switch that has words for more than on and off. */
export const flagOr = <const W extends string>(...more: W[]) =>
  z.preprocess(toWord, z.union([z.boolean(), z.enum(more)], { error: `true, false, ${more.join(' or ')} is needed here` }))
export const count = z.number({ error: 'a number is needed here' }).int().min(0)

/** Absent and null both mean the default. */
export const orDefault = <T extends z.ZodType>(schema: T, value: z.output<T>) =>
  schema.nullish().transform((given): z.output<T> => given ?? value)
/** One of some words; absent, null and '' mean not set. */
export const choice = <const W extends string>(...options: W[]) => {
  const known: readonly (W | '')[] = [...options, '']
  return z
    .enum(known)
    .nullish()
    .transform((given): W | '' => known.find((option) => option === given) ?? '')
}
