import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PredicateError } from './expression.ts'
import { checkCondition } from './language.ts'
import { labelLanguage, listQueryLanguage, ruleLanguage } from './languages.ts'
import { parsePredicate } from './parse.ts'

/** The shape of an expression without its places. */
const shape = (source: string): unknown =>
  JSON.parse(JSON.stringify(parsePredicate(source), (key, value: unknown) => (key === 'at' || key === 'end' ? undefined : value)))
function mistake(source: string, language = listQueryLanguage): { message: string; text: string } {
  try {
    checkCondition(parsePredicate(source), language)
  } catch (error) {
    if (error instanceof PredicateError) return { message: error.message, text: source.slice(error.at, error.end) }
    throw error
  }
  return { message: 'accepted', text: '' }
}
const name = { kind: 'path', path: ['name'] }

test('&& binds closer than ||, ! closest, parentheses closer still', () => {
  expect(shape('a.b == "x" || !f(name) && (name != `y` || true)')).toEqual({
    kind: 'or',
    of: [
      { kind: 'compare', sign: '==', left: { kind: 'path', path: ['a', 'b'] }, right: { kind: 'text', value: 'x' } },
      {
        kind: 'and',
        of: [
          { kind: 'not', of: { kind: 'call', name: 'f', operands: [name] } },
          {
            kind: 'or',
            of: [
              { kind: 'compare', sign: '!=', left: name, right: { kind: 'text', value: 'y' } },
              { kind: 'boolean', value: true },
            ],
          },
        ],
      },
    ],
  })
})
test('names, calls with dots, brackets, escapes, numbers', () => {
  expect(shape('email.local(user.spec.traits["a \\"b\\"\\n\\u00e9\\x41"], -1.5, g())')).toEqual({
    kind: 'call',
    name: 'email.local',
    operands: [
      { kind: 'path', path: ['user', 'spec', 'traits', 'a "b"\né' + 'A'] },
      { kind: 'number', value: -1.5 },
      { kind: 'call', name: 'g', operands: [] },
    ],
  })
  expect(shape('größe == `\\d "x"`')).toMatchObject({ left: { path: ['größe'] }, right: { value: '\\d "x"' } })
})

describe('what cannot be read is told with its place', () => {
  test.each([
    ['', 'the expression ends too early', ''],
    ['name ==', 'the expression ends too early', ''],
    ['name == "a" name', 'unexpected name', 'name'],
    ['name = "a"', 'a single = means nothing here; compare with ==', '='],
    ['name == "a" & true', 'a single & means nothing here; use &&', '&'],
    ["name == 'a'", 'text stands in double quotes, not in single ones', "'"],
    ['name == "a', 'the text that begins here has no end', '"'],
    ['name == "\\q"', 'unknown escape \\q', '\\q'],
    ['labels[env]', 'text in double quotes is missing after "["', 'env'],
    ['labels["a"', '"]" is missing', ''],
    ['(name == "a"', '")" is missing', ''],
    ['search("a" "b")', '"," is missing', '"b"'],
    ['name. == "a"', 'a name is missing after "."', '=='],
    ['name == $x', 'unexpected character "$"', '$'],
    ['name == "a" == "b"', 'unexpected ==', '=='],
    ['!name == "a"', 'put what "!" negates into parentheses', '=='],
  ])('%j', (source, message, text) => {
    expect(mistake(source)).toEqual({ message, text })
  })
})
describe('names and functions of a language', () => {
  test.each([
    ['true && (foo.bar == "x")', 'identifier foo.bar is not defined', 'foo.bar'],
    ['namex == "x"', 'identifier namex is not defined', 'namex'],
    ['labels == "x"', 'identifier labels needs a key: labels["key"]', 'labels'],
    ['search()', 'wrong number of operands: it is search(word, word, …)', 'search()'],
    ['constructor("x")', 'function constructor is not defined', 'constructor("x")'],
    ['equals(name == "a", "b")', 'a text, a name or a function is needed here, not a condition', 'name == "a"'],
    ['"a"', 'this is neither true nor false; compare it or use a function', '"a"'],
    ['search("a") == "b"', 'search gives true or false; a value is needed here', 'search("a")'],
  ])('%s', (source, message, text) => {
    expect(mistake(source)).toEqual({ message, text })
  })
  test('rules have no ==, label expressions have', () => {
    expect(mistake('session.kind == "ssh"', ruleLanguage).message).toBe('"==" cannot be used here; use equals(a, b)')
    expect(mistake('equals(session.kind, "ssh") && equals(system.catype(), "user")', ruleLanguage).message).toBe('accepted')
    expect(mistake('labels["env"] == "prod" && contains(labels_matching("team-*"), "red")', labelLanguage).message).toBe('accepted')
    expect(mistake('regexp.match(labels["env"], labels["x"])', labelLanguage).message).toContain('text in double quotes')
  })
})

test('hostile text ends quickly: nesting is refused, long chains are read', () => {
  for (const deep of ['('.repeat(8000), '!'.repeat(8000), 'f('.repeat(4000), '!('.repeat(4000)])
    expect(mistake(deep).message).toContain('nested too deeply')
  expect(mistake('true && '.repeat(1000) + 'true').message).toBe('accepted')
  expect(mistake('a'.repeat(9000)).message).toBe('it is longer than 8192 characters')
  expect(mistake(`"${'\\'.repeat(8000)}`).message).toBe('the text that begins here has no end')
})
test('whatever the text, what is thrown says where the mistake is', () => {
  const pieces = ['(', ')', '[', ']', '"', '`', '\\', '.', ',', '!', '&&', '||', '==', 'name', 'labels', 'search', '1', ' ', "'"]
  const odd = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 15 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(odd, (source) => {
      try {
        checkCondition(parsePredicate(source), listQueryLanguage)
      } catch (error) {
        if (!(error instanceof PredicateError)) throw error
        expect(error.at).toBeGreaterThanOrEqual(0)
        expect(error.end).toBeGreaterThanOrEqual(error.at)
        expect(error.at).toBeLessThanOrEqual(source.length)
      }
    }),
  )
})
