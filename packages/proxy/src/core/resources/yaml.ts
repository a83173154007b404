/** YAML and JSON text of outside, read within bounds: size, nesting, aliases; no tags, no key twice, none that is special to JavaScript. */
import { Composer, isMap, isNode, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml'
import type { CST, Document } from 'yaml'

const maxLength = 256 * 1024
const maxDepth = 64
const maxAliases = 100
const maxValues = 50_000

const tooMuch = 'its aliases stand for too much'

export interface Place {
  /** Both count from 1. */
  line: number
  column: number
}

/** Text that is no YAML, or more than we are willing to read. `place` is known for most of them. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
  readonly place: Place | undefined
  constructor(message: string, place?: Place) {
    super(message)
    this.place = place
  }
}

export interface YamlDocument {
  value: unknown
  /** Where the value at a path stands, or what is nearest around it. */
  placeOf(path: readonly PropertyKey[]): Place | undefined
}

/** All documents of a text; empty ones are left out. Throws YamlError. */
export function readYaml(text: string): YamlDocument[] {
  if (text.length > maxLength) throw new YamlError(`it is larger than ${maxLength / 1024} KiB`)
  const lines = new LineCounter()
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  // The library compares every key with every other, which for large maps takes minutes: `refuseOddities` does it instead.
  const composer = new Composer({ stringKeys: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' })
  const documents = [...composer.compose(tokensOf(text, lines, placeAt))]
  return documents
    .map((document) => {
      const [error] = document.errors
      if (error) throw new YamlError(error.message, placeAt(error.pos[0]))
      refuseOddities(document, placeAt)
      return { value: valueOf(document), placeOf: (path: readonly PropertyKey[]) => placeIn(document, path, placeAt) }
    })
    .filter(({ value }) => value !== null)
}

/** Nesting is bounded here, before anything reads the text recursively. */
function* tokensOf(text: string, lines: LineCounter, placeAt: (offset: number) => Place): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > maxDepth) throw new YamlError('it is nested too deeply', placeAt(parser.offset))
  }
  yield* parser.end()
}

function refuseOddities(document: Document.Parsed, placeAt: (offset: number) => Place): void {
  visit(document, {
    Node(_, node) {
      if (node.tag?.startsWith('!') || (node.tag !== undefined && !plainTags.has(node.tag)))
        throw new YamlError(`the tag ${node.tag} is not allowed`, node.range ? placeAt(node.range[0]) : undefined)
    },
    Map(_, map) {
      const keys = new Set<unknown>()
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : undefined
        const place = isNode(key) && key.range ? placeAt(key.range[0]) : undefined
        if (name === '__proto__') throw new YamlError('the key "__proto__" is not allowed', place)
        // A few bytes of merges stand for very many fields, and nothing counts them.
        if (name === '<<') throw new YamlError('maps cannot be merged with <<; write the fields out', place)
        if (keys.has(name)) throw new YamlError(`the key "${String(name)}" is there twice`, place)
        keys.add(name)
      }
    },
  })
}
const plainTags = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`))

function valueOf(document: Document.Parsed): unknown {
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: maxAliases })
  } catch (cause) {
    // The library tells of aliases that stand for too much, or for nothing.
    if (cause instanceof ReferenceError) throw new YamlError(cause.message.startsWith('Unresolved') ? cause.message : tooMuch)
    throw cause
  }
  refuseHuge(value)
  return value
}

/** Aliases may nest what the text does not, even in themselves. */
function refuseHuge(root: unknown): void {
  let left = maxValues
  const walk = (value: unknown, depth: number): void => {
    left -= 1
    if (left < 0 || depth > maxDepth) throw new YamlError(tooMuch)
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) walk(inner, depth + 1)
  }
  walk(root, 0)
}

function placeIn(document: Document.Parsed, path: readonly PropertyKey[], placeAt: (offset: number) => Place): Place | undefined {
  let node: unknown = document.contents
  let offset: number | undefined = document.contents?.range?.[0]
  for (const part of path) {
    const next = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part)) : undefined
    if (next) {
      if (isNode(next.key) && next.key.range) offset = next.key.range[0]
      node = next.value
    } else {
      const items: readonly unknown[] =
        typeof node === 'object' && node !== null && 'items' in node && !isMap(node) ? (node.items as unknown[]) : []
      node = items[Number(part)]
      if (!isNode(node)) break
      if (node.range) offset = node.range[0]
    }
  }
  return offset === undefined ? undefined : placeAt(offset)
}
