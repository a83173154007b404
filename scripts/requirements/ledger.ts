/** Reads the requirement rows of docs/requirements.md and the IDs that test titles name. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface Requirement {
  id: string
  text: string
  area: string
}

export interface Citation {
  id: string
  /** Path from the root of the tree. */
  file: string
  line: number
}

const idForm = /\bR\d-\d{3}[ab]?\b/g
const row = /^\| (R\d-\d{3}[ab]?) \| (.+?) \| .+ \| ([a-z-]+) \|$/
/** The call that declares a test (or a group of them) and the whole of its title, which may stand on the next line. */
const titled = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^'"`\n]*\))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
/** A table of tests, and the text that opens one of its rows: it is part of that test's title. */
const table = /\b(?:test|it|describe)\.each\(\[\n([^]*?)\n *\](?: (?:as|satisfies) [^\n]*)?\)\(/g
const tableRow = /^ *\[(['"])((?:\\.|(?!\1).)*)\1/gm
const testFile = /\.(test|e2e)\.tsx?$/

export function parseLedger(markdown: string): Requirement[] {
  return markdown.split('\n').flatMap((line) => {
    const [, id, text, area] = row.exec(line) ?? []
    return id && text && area ? [{ id, text, area }] : []
  })
}

/** Every ID in the title of a test, of a row of tests or of a group of them; IDs in comments and bodies do not count. */
export function citedIn(source: string, file: string): Citation[] {
  const idsOf = (title: string, at: number): Citation[] => {
    const line = source.slice(0, at).split('\n').length
    return [...title.matchAll(idForm)].map(([id]) => ({ id, file, line }))
  }
  const titles = [...source.matchAll(titled)].flatMap(({ index, 2: title = '' }) => idsOf(title, index))
  const rows = [...source.matchAll(table)].flatMap(({ index, 0: whole, 1: body = '' }) =>
    [...body.matchAll(tableRow)].flatMap((match) => idsOf(match[2] ?? '', index + whole.indexOf(body) + match.index)),
  )
  return [...titles, ...rows]
}

export function readLedger(root: string): Requirement[] {
  return parseLedger(readFileSync(join(root, 'docs', 'requirements.md'), 'utf8'))
}

export function readCitations(root: string): Citation[] {
  return ['packages', 'e2e', 'scripts']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((file) => testFile.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .flatMap((file) => citedIn(readFileSync(join(root, file), 'utf8'), file))
}
