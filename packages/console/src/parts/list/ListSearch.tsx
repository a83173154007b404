import { CircleHelp, Search } from 'lucide-react'
import { useState } from 'react'
import { ExpressionField } from '../expression/ExpressionField.tsx'
import type { ExpressionWords } from '../expression/expression-offers.ts'
import { exampleQueries } from '../expression/query-words.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { queryOfWords, wordsOfQuery } from './query-clauses.ts'
import { useDraft } from './use-draft.ts'
import styles from './ListSearch.module.css'

export interface Filter {
  /** Words that must all occur. */
  search: string
  /** Or an expression; one of the two is empty. */
  query: string
}

export interface ListSearchProps extends Filter {
  label: string
  words: ExpressionWords
  /** What the proxy said about the expression. */
  error: string | undefined
  onFilter: (filter: Filter) => void
}

/** The search box of a list that the proxy filters: plain words, or the query language with completion. */
export function ListSearch({ label, search, query, words, error, onFilter }: ListSearchProps) {
  const [switched, setSwitched] = useState(false)
  const advanced = query !== '' || switched
  const plain = useDraft(search, (text) => onFilter({ search: text, query: '' }))
  const expression = useDraft(query, (text) => onFilter({ search: '', query: text.trim() }))
  const turn = (on: boolean) => {
    setSwitched(on)
    if (on) {
      // What is being typed comes along, as a query.
      const next = queryOfWords(plain.text)
      expression.change(next)
      if (search !== '') onFilter({ search: '', query: next })
    } else {
      const next = wordsOfQuery(expression.text) ?? ''
      onFilter({ search: next, query: '' })
    }
  }
  return (
    <>
      {advanced ? (
        <search className={styles['expression']}>
          <ExpressionField
            label={label}
            hideLabel
            icon={Search}
            words={words}
            value={expression.text}
            error={expression.text === query ? error : undefined}
            placeholder={'labels["env"] == "prod"'}
            listSearch
            onValue={expression.change}
            onSubmit={expression.submit}
          />
        </search>
      ) : (
        <SearchField label={label} value={plain.text} onValue={plain.change} onSubmit={plain.submit} />
      )}
      <Switch label="Advanced" checked={advanced} onChange={(event) => turn(event.target.checked)} />
      {advanced && <QueryHelp words={words} onExample={expression.submit} />}
    </>
  )
}

const operators: readonly [string, string][] = [
  ['==  !=', 'the same, different'],
  ['&&  ||  !', 'and, or, not; ( ) group'],
]
const functions: readonly [string, string][] = [
  ['search("a", "b")', 'words that all occur somewhere'],
  ['hasPrefix(name, "web-")', 'begins with'],
  ['equals(name, "web-1")', 'the same as =='],
  ['exists(labels["env"])', 'has the label'],
  ['name', 'name of the resource'],
  ['labels["env"]', 'value of a label'],
  ['resource.spec.addr', 'any field of the resource'],
]

function QueryHelp({ words, onExample }: { words: ExpressionWords; onExample: (query: string) => void }) {
  return (
    <Popover label="Query language" width={400} padded align="end" trigger={<IconButton icon={CircleHelp} label="Help with queries" />}>
      <div className={styles['help']}>
        <dl>
          {[...operators, ...functions].map(([code, text]) => (
            <div key={code}>
              <dt className="mono">{code}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <p className="sm strong t2">Try one</p>
        <ul>
          {exampleQueries(words).map((example) => (
            <li key={example}>
              <button type="button" className="mono" onClick={() => onExample(example)}>
                {example}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Popover>
  )
}
