import type { ExpressionWords } from './expression-offers.ts'

const words: ExpressionWords['words'] = [
  { label: 'labels', insert: 'labels["|"]', note: 'value of a label' },
  { label: 'name', insert: 'name == "|"', note: 'name of the resource' },
  { label: 'search', insert: 'search("|")', note: 'words that all occur' },
  { label: 'exists', insert: 'exists(labels["|"])', note: 'the label is there' },
  { label: 'hasPrefix', insert: 'hasPrefix(|, "")', note: 'begins with' },
  { label: 'equals', insert: 'equals(|, "")', note: 'the same as ==' },
  { label: 'resource.metadata.name', note: 'a field of the resource' },
  { label: 'resource.spec', insert: 'resource.spec.', note: 'a field of the resource' },
]

/** What a query of a list may say; labels are those of the resources in sight. */
export function queryWords(labels: readonly (readonly { name: string; value: string }[])[]): ExpressionWords {
  const known = new Map<string, Set<string>>()
  for (const { name, value } of labels.flat()) known.set(name, (known.get(name) ?? new Set()).add(value))
  return { words, labels: new Map([...known].map(([name, values]) => [name, [...values]])) }
}

/** Three queries that find something here, to learn from. */
export function exampleQueries({ labels }: ExpressionWords): string[] {
  const found = [...(labels ?? [])].filter(([name]) => !name.startsWith('teleport.'))
  const [first, second] = found
  if (!first) return ['name == "web-1"', 'hasPrefix(name, "web-")', 'labels["env"] == "prod"']
  const equal = (entry: readonly [string, readonly string[]]): string => `labels["${entry[0]}"] == "${entry[1][0] ?? ''}"`
  return [equal(first), second ? `${equal(first)} && ${equal(second)}` : `!(${equal(first)})`, `exists(labels["${first[0]}"])`]
}
