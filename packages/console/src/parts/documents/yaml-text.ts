/** Reading and changing a YAML document as text. A change keeps comments, unknown fields and the order of what it does not touch. */
import { isCollection, isMap, isNode, isPair, isScalar, isSeq, parseDocument, YAMLMap } from 'yaml'
import type { Document, Node } from 'yaml'

export type Path = readonly (string | number)[]

export const parseText = (text: string): Document.Parsed =>
  parseDocument(text, { uniqueKeys: true, prettyErrors: false, logLevel: 'error' })

/** As people write it and as server messages name it: `spec.allow.rules[2].verbs`. */
export const formatPath = (path: Path): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`)).join('')

/** The first path that a message names, or undefined. */
export function pathIn(message: string): Path | undefined {
  const found = /\b(?:kind|version|metadata|spec)(?:\.[\w*/-]+|\[\d+\]|\["[^"]+"\])*/.exec(message)
  if (!found) return undefined
  return [...found[0].matchAll(/\["([^"]+)"\]|\[(\d+)\]|[^.[\]]+/g)].map(([part, quoted, index]) =>
    quoted === undefined ? (index === undefined && !/^\d+$/.test(part) ? part : Number(index ?? part)) : quoted,
  )
}

/** The plain value at a path; undefined when there is none, or when it does not resolve (an alias bomb). */
export function valueAt(document: Document, path: Path): unknown {
  const node = document.getIn(path, true)
  if (!isNode(node)) return undefined
  try {
    return node.toJS(document)
  } catch {
    return undefined // too many aliases: shown in the text only
  }
}

/** Texts of a list; a single value stands for a list of one. Whatever is no text, number or flag is left out. */
export function textsAt(document: Document, path: Path): string[] {
  const value = valueAt(document, path)
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((one) => ['string', 'number', 'boolean'].includes(typeof one)).map(String)
}

export function textAt(document: Document, path: Path): string {
  return textsAt(document, path)[0] ?? ''
}

export interface Entry {
  key: string
  values: string[]
}

/** A map of lists of texts (labels) in its order. */
export function entriesAt(document: Document, path: Path): Entry[] {
  const node = document.getIn(path, true)
  if (!isMap(node)) return []
  return node.items.map((pair) => {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key)
    return { key, values: textsAt(document, [...path, key]) }
  })
}

/** Keys of the map, or indexes of the list, at a path. */
export function keysAt(document: Document, path: Path): (string | number)[] {
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  if (isMap(node)) return node.items.map((pair) => String(isScalar(pair.key) ? pair.key.value : pair.key))
  return isSeq(node) ? node.items.map((_, index) => index) : []
}

export const writeText = (document: Document): string => document.toString({ lineWidth: 0, flowCollectionPadding: false })

/** Puts a value at a path, or removes what is there when the value is undefined. A text with errors stays as it is. */
export function setAt(text: string, path: Path, value: unknown): string {
  return change(text, (document) => {
    const known = document.getIn(path, true)
    if (value === undefined) removeIn(document, path)
    else if (isScalar(known) && (typeof value !== 'object' || value === null)) {
      // Only the value: a comment behind it stays.
      known.value = value
      delete known.source
      delete known.type
    } else put(document, path, document.createNode(value))
  })
}

/** Makes the list at a path hold these texts. Entries that stay keep their comments; an empty list goes away. */
export function setTexts(text: string, path: Path, values: readonly string[]): string {
  return change(text, (document) => {
    if (values.length === 0) return removeIn(document, path)
    const known = document.getIn(path, true)
    if (!isSeq(known)) return put(document, path, document.createNode(values, { flow: true }))
    const kept = new Map<string, unknown>()
    for (const item of known.items) if (isScalar(item)) kept.set(String(item.value), item)
    known.items = values.map((value) => kept.get(value) ?? document.createNode(value))
  })
}

/** Makes the map at a path hold these entries in this order. One value stands alone, as the proxy writes it. */
export function setEntries(text: string, path: Path, entries: readonly Entry[]): string {
  return change(text, (document) => {
    if (entries.length === 0) return removeIn(document, path)
    const known = document.getIn(path, true)
    const pairs = isMap(known)
      ? new Map(known.items.map((pair) => [String(isScalar(pair.key) ? pair.key.value : pair.key), pair]))
      : new Map()
    const map = isMap(known) ? known : new YAMLMap(document.schema)
    map.flow = false
    map.items = entries.map(({ key, values }) => {
      const pair = pairs.get(key) ?? document.createPair(key, '')
      if (pair.value === null || textsOf(pair.value, document).join('\n') !== values.join('\n') || !pairs.has(key))
        pair.value = document.createNode(values.length === 1 ? values[0] : values, { flow: true })
      return pair
    })
    put(document, path, map)
  })
}

export function addTo(text: string, path: Path, value: unknown): string {
  return change(text, (document) => {
    const node = document.createNode(value)
    flowLists(node)
    const known = document.getIn(path, true)
    if (isSeq(known)) {
      if (known.items.length === 0) known.flow = false
      known.add(node)
    } else put(document, path, document.createNode([node]))
  })
}

/** The text in the one form that we write: two spaces, no trailing space. */
export const formatText = (text: string): string => change(text, () => undefined)

function change(text: string, edit: (document: Document) => void): string {
  const document = parseText(text)
  if (document.errors.length > 0) return text
  edit(document)
  return writeText(document)
}

function textsOf(value: unknown, document: Document): string[] {
  const plain: unknown = isNode(value) ? value.toJS(document) : value
  return Array.isArray(plain) ? plain.map(String) : [String(plain)]
}

/** Lists of plain values inside a new node stand on one line. */
function flowLists(node: Node): void {
  if (isMap(node)) for (const pair of node.items) if (isNode(pair.value)) flowLists(pair.value)
  if (!isSeq(node)) return
  if (node.items.every((item) => isScalar(item))) node.flow = true
  else for (const item of node.items) if (isNode(item)) flowLists(item)
}

function put(document: Document, path: Path, node: Node): void {
  // What stands in the way (`deny:` without a value) becomes a map; an empty `{}` opens up.
  for (let depth = 1; depth < path.length; depth += 1) {
    const above = document.getIn(path.slice(0, depth), true)
    if (above === undefined) break
    if (!isCollection(above)) document.setIn(path.slice(0, depth), new YAMLMap(document.schema))
    else if (above.items.length === 0) above.flow = false
  }
  if (isCollection(document.contents) && document.contents.items.length === 0) document.contents.flow = false
  document.setIn(path, node)
}

/** Takes the value away and, below `spec.x`, the maps that it leaves empty. */
function removeIn(document: Document, path: Path): void {
  if (document.getIn(path, true) === undefined) return
  document.deleteIn(path)
  for (let depth = path.length - 1; depth > 2; depth -= 1) {
    const above = document.getIn(path.slice(0, depth), true)
    if (!isCollection(above) || above.items.length > 0) return
    document.deleteIn(path.slice(0, depth))
  }
}

/** Where in the text a path stands: its key when it has one, else the nearest thing around it. */
export function rangeAt(document: Document, path: Path): [from: number, to: number] {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true)
    const key = path[depth - 1]
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isPair(item) && String(isScalar(item.key) ? item.key.value : item.key) === String(key))
      if (pair && isNode(pair.key) && pair.key.range) return [pair.key.range[0], pair.key.range[1]]
    } else if (isSeq(parent) && typeof key === 'number') {
      const item = parent.items[key]
      if (isNode(item) && item.range) return [item.range[0], item.range[1]]
    }
  }
  return [0, 0]
}

/** Paths of everything in the document that holds a value of its own. */
export function leafPaths(document: Document): Path[] {
  const found: Path[] = []
  const walk = (node: unknown, path: Path): void => {
    if (isMap(node) && node.items.length > 0)
      for (const pair of node.items) walk(pair.value, [...path, String(isScalar(pair.key) ? pair.key.value : pair.key)])
    else if (isSeq(node) && node.items.length > 0) for (const [index, item] of node.items.entries()) walk(item, [...path, index])
    else found.push(path)
  }
  walk(document.contents, [])
  return found
}
