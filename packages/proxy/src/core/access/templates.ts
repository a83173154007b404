/** Role templates: `{{internal.logins}}`, `{{external["any claim"]}}`, with functions around them. */
import { RE2JS } from 're2js'

export type Traits = Readonly<Record<string, readonly string[]>>

/** Traits that administrators set on users; `{{internal.x}}` knows no others. */
export const internalTraits = [
  'logins',
  'windows_logins',
  'kubernetes_groups',
  'kubernetes_users',
  'db_names',
  'db_users',
  'db_roles',
  'aws_role_arns',
  'azure_identities',
  'gcp_service_accounts',
  'jwt',
] as const

type Expression =
  | { kind: 'trait'; name: string }
  | { kind: 'emailLocal'; of: Expression }
  | { kind: 'replace'; of: Expression; pattern: RE2JS; replacement: string }

interface Template {
  prefix: string
  suffix: string
  expression: Expression
}

export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

const bracesAround = /^(.*?)\{\{(.*?)\}\}(.*)$/s
const token = /\s*([A-Za-z_][\w.-]*|"(?:[^"\\]|\\.)*"|[()[\],])/gy

/** Undefined for text without `{{`. Throws TemplateError. */
function parseTemplate(text: string): Template | undefined {
  if (!text.includes('{{') && !text.includes('}}')) return undefined
  const [, prefix = '', inner, suffix = ''] = bracesAround.exec(text) ?? []
  if (inner === undefined || suffix.includes('{{') || suffix.includes('}}'))
    throw new TemplateError(`"${text}" must hold exactly one {{expression}}`)
  const tokens = [...inner.matchAll(token)].map(([, part]) => part ?? '')
  if ([...inner.matchAll(token)].map(([part]) => part).join('') !== inner.trimEnd())
    throw new TemplateError(`"${text}" is not a valid template`)
  const reader = createReader(tokens, text)
  const expression = parseExpression(reader)
  if (reader.next() !== undefined) throw new TemplateError(`"${text}" has text after its expression`)
  return { prefix, suffix, expression }
}

interface Reader {
  next(): string | undefined
  expect(part: string): void
  fail(reason: string): TemplateError
  string(): string
}

function createReader(tokens: readonly string[], text: string): Reader {
  let at = 0
  const fail = (reason: string): TemplateError => new TemplateError(`"${text}" is not a valid template: ${reason}`)
  const next = (): string | undefined => tokens[at++]
  return {
    next,
    fail,
    expect(part) {
      if (next() !== part) throw fail(`"${part}" is missing`)
    },
    string() {
      const part = next()
      if (!part?.startsWith('"')) throw fail('text in double quotes is missing')
      try {
        return String(JSON.parse(part))
      } catch {
        return part.slice(1, -1)
      }
    },
  }
}

function parseExpression(reader: Reader): Expression {
  const head = reader.next()
  if (head === 'email.local') {
    reader.expect('(')
    const of = parseExpression(reader)
    reader.expect(')')
    return { kind: 'emailLocal', of }
  }
  if (head === 'regexp.replace') {
    reader.expect('(')
    const of = parseExpression(reader)
    reader.expect(',')
    const source = reader.string()
    reader.expect(',')
    const replacement = reader.string()
    reader.expect(')')
    try {
      return { kind: 'replace', of, pattern: RE2JS.compile(source), replacement }
    } catch {
      throw reader.fail(`"${source}" is not a valid expression`)
    }
  }
  if (head === 'internal' || head === 'external') {
    reader.expect('[')
    const name = reader.string()
    reader.expect(']')
    return trait(reader, head, name)
  }
  const [space = '', ...path] = (head ?? '').split('.')
  if (path.length === 0 || (space !== 'internal' && space !== 'external'))
    throw reader.fail('it must name internal.x, external.x, email.local or regexp.replace')
  return trait(reader, space, path.join('.'))
}

function trait(reader: Reader, space: 'internal' | 'external', name: string): Expression {
  if (space === 'internal' && !internalTraits.some((known) => known === name)) throw reader.fail(`there is no internal trait "${name}"`)
  return { kind: 'trait', name }
}

/** The part of a mail address before its @; nothing for text that is none. */
export const localPart = (text: string): string[] => (/^[^@\s]+@[^@\s]+$/.test(text) ? [text.slice(0, text.indexOf('@'))] : [])

/** Text in which all that matches is replaced; nothing for text in which nothing matches. */
export const replaceMatching = (pattern: RE2JS, text: string, replacement: string): string[] =>
  pattern.matcher(text).find() ? [pattern.matcher(text).replaceAll(ownSpelling(replacement))] : []

/** Groups are written `$1`, `${1}` and `${name}`; the library knows `$1`, `$&` and `$<name>`. */
const ownSpelling = (replacement: string): string =>
  replacement.replaceAll(/\$(?:\{(\w+)\}|0(?!\d))/g, (_, group?: string) =>
    group === undefined || group === '0' ? '$&' : /^\d+$/.test(group) ? `$${group}` : `$<${group}>`,
  )

function evaluate(expression: Expression, traits: Traits): string[] {
  if (expression.kind === 'trait') return Object.hasOwn(traits, expression.name) ? [...(traits[expression.name] ?? [])] : []
  const values = evaluate(expression.of, traits)
  if (expression.kind === 'emailLocal') return values.flatMap(localPart)
  return values.flatMap((value) => replaceMatching(expression.pattern, value, expression.replacement))
}

/** Why text of a role is no usable template; undefined when it is one, or plain text. */
export function whyNotTemplate(text: string): string | undefined {
  try {
    parseTemplate(text)
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
}

/** The values that text of a role stands for: itself, or one per trait value. No value, no entry. */
export function expand(text: string, traits: Traits): string[] {
  let template: Template | undefined
  try {
    template = parseTemplate(text)
  } catch (error) {
    if (error instanceof TemplateError) return []
    throw error
  }
  if (!template) return [text]
  const { prefix, suffix, expression } = template
  return evaluate(expression, traits).map((value) => `${prefix}${value}${suffix}`)
}

export const expandAll = (texts: readonly string[], traits: Traits): string[] => [...new Set(texts.flatMap((text) => expand(text, traits)))]
