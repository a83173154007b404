/** Completion of the one-line languages: queries of lists, and `where` of rules. */

export interface Word {
  /** What is offered and matched. */
  label: string
  /** What is put in, when it is more than the label; `|` is where the cursor goes. */
  insert?: string
  /** What behind the cursor it takes the place of: an end that is there already. */
  over?: string
  note: string
}

export interface ExpressionWords {
  /** Fields and functions. */
  words: readonly Word[]
  /** Keys that `labels["…"]` may name, with the values seen. */
  labels?: ReadonlyMap<string, readonly string[]>
}

export interface ExpressionOffers {
  /** Where what is being typed begins. */
  from: number
  offers: readonly Word[]
}

const most = 12

/** What may stand where the cursor is. */
export function expressionOffers(text: string, cursor: number, { words, labels }: ExpressionWords): ExpressionOffers {
  const before = text.slice(0, cursor)
  const key = /labels\["([^"]*)$/.exec(before)
  if (key) {
    const typed = key[1] ?? ''
    const end = '"]'
    return offer(
      typed,
      cursor,
      [...(labels?.keys() ?? [])].map((label) => ({ label, insert: label + end, ...overEnd(text, cursor, end), note: 'label' })),
    )
  }
  const value = /labels(?:\["([^"]*)"\]|\.([\w-]+))\s*(?:==|!=)\s*"([^"]*)$/.exec(before)
  if (value) {
    const end = '"'
    const known = labels?.get(value[1] ?? value[2] ?? '') ?? []
    return offer(
      value[3] ?? '',
      cursor,
      known.map((label) => ({ label, insert: label + end, ...overEnd(text, cursor, end), note: 'seen here' })),
    )
  }
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return { from: cursor, offers: [] } // inside a text
  const typed = /[\w.]*$/.exec(before)?.[0] ?? ''
  const operand = /(?:^|[(,!]|&&|\|\||==|!=)\s*$/.test(before.slice(0, before.length - typed.length))
  if (operand) return offer(typed, cursor, words)
  if (/[\w"\])]\s+$/.test(before))
    return {
      from: cursor,
      offers: [
        { label: '&&', insert: '&& ', note: 'and' },
        { label: '||', insert: '|| ', note: 'or' },
        ...(/\)\s+$/.test(before)
          ? []
          : [
              { label: '==', insert: '== "|"', note: 'equals' },
              { label: '!=', insert: '!= "|"', note: 'differs' },
            ]),
      ],
    }
  return { from: cursor, offers: [] }
}

const overEnd = (text: string, cursor: number, end: string): { over?: string } => (text.startsWith(end, cursor) ? { over: end } : {})

function offer(typed: string, cursor: number, words: readonly Word[]): ExpressionOffers {
  const lower = typed.toLowerCase()
  const starting = words.filter(({ label }) => label.toLowerCase().startsWith(lower))
  const containing = words.filter(({ label }) => !label.toLowerCase().startsWith(lower) && label.toLowerCase().includes(lower))
  return { from: cursor - typed.length, offers: [...starting, ...containing].slice(0, most) }
}

/** The text with an offer taken, and where the cursor stands then. */
export function takeOffer(
  text: string,
  cursor: number,
  from: number,
  { label, insert = label, over = '' }: Word,
): { text: string; cursor: number } {
  const mark = insert.indexOf('|')
  const put = mark < 0 || insert === '|| ' ? insert : insert.slice(0, mark) + insert.slice(mark + 1)
  return {
    text: text.slice(0, from) + put + text.slice(cursor + over.length),
    cursor: from + (mark < 0 || insert === '|| ' ? put.length : mark),
  }
}
