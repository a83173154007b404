/** The list grammar over resources that are in no index: there are few of them, or they are asked of somebody else each time. */
import type { Page } from '@sallyport/wire/entities/list.ts'
import { compileListQuery, isTrueOf } from './list-predicate.ts'
import type { Queried } from './list-predicate.ts'
import { parseSort, searchWords } from './list-query.ts'
import type { ListRequest } from './list-query.ts'

export interface RowKind<T> {
  /** As the contract calls the kind. */
  name: string
  /** Rows come by name anyway; whether they can be asked for so. */
  isSortable: boolean
  nameOf(row: T): string
  /** Tells rows of one name apart. */
  placeOf?(row: T): string
  /** What a search looks at besides the name. */
  textsOf(row: T): readonly string[]
  queried(row: T): Omit<Queried, 'name'>
}

/** A page begins behind the row that is its key. */
export function pageOfRows<T>(rows: readonly T[], kind: RowKind<T>, { limit, startKey, search, query, sort }: ListRequest): Page<T> {
  const { descending } = parseSort(sort, kind.name, kind.isSortable ? { name: 'name' } : {}, 'name')
  const compiled = compileListQuery(query)
  const words = searchWords(search ?? '')
  const found = rows
    .map((row) => ({ row, name: kind.nameOf(row), place: kind.placeOf?.(row) ?? '' }))
    .filter(({ row, name }) => {
      const texts = [name, ...kind.textsOf(row)].join('\n').toLowerCase()
      const hasWord = (word: string): boolean => texts.includes(word)
      return words.every(hasWord) && (!compiled || isTrueOf(compiled, { name, ...kind.queried(row) }, hasWord))
    })
  const compare = (a: Key, b: Key): number => (descending ? compareKeys(b, a) : compareKeys(a, b))
  const ordered = found.toSorted(compare)
  const key = startKey ? readKey(startKey) : undefined
  const from = key ? ordered.findIndex((entry) => compare(entry, key) > 0) : 0
  const shown = from === -1 ? [] : ordered.slice(from, from + limit)
  const last = shown.at(-1)
  return {
    items: shown.map(({ row }) => row),
    startKey: last && last !== ordered.at(-1) ? writeKey(last) : '',
    totalCount: found.length,
  }
}

interface Key {
  name: string
  place: string
}

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b)
const compareKeys = (a: Key, b: Key): number => compareTexts(a.name, b.name) || compareTexts(a.place, b.place)

const writeKey = ({ name, place }: Key): string => Buffer.from(`${name}\n${place}`).toString('base64url')
/** Undefined for what is no key of ours: the first page then. */
function readKey(text: string): Key | undefined {
  const [name = '', place, ...more] = Buffer.from(text, 'base64url').toString().split('\n')
  return place === undefined || more.length > 0 ? undefined : { name, place }
}
