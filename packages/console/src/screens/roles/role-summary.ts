/** What a role grants, in a few words for the list and in sentences for the editor. */
import { isMap } from 'yaml'
import type { Document } from 'yaml'
import { entriesAt, keysAt, parseText, textAt, textsAt } from '../../parts/documents/yaml-text.ts'
import type { Entry, Path } from '../../parts/documents/yaml-text.ts'

/** Selector → what it lets people reach: for the list, and for sentences. */
export const reaches = {
  node_labels: { short: 'ssh', words: 'servers' },
  app_labels: { short: 'apps', words: 'applications' },
  db_labels: { short: 'db', words: 'databases' },
  kubernetes_labels: { short: 'kube', words: 'Kubernetes clusters' },
  windows_desktop_labels: { short: 'desktops', words: 'Windows desktops' },
  cluster_labels: { short: 'clusters', words: 'trusted clusters' },
  group_labels: { short: 'groups', words: 'user groups' },
} as const
const selectors = Object.keys(reaches) as (keyof typeof reaches)[]

export interface RoleSummary {
  /** "ssh, db · 3 admin rules". */
  text: string
  description: string
}

export function summaryOf(content: string): RoleSummary {
  const document = parseText(content)
  const allow: Path = ['spec', 'allow']
  const kinds = selectors.filter((field) => has(document, [...allow, field]) || has(document, [...allow, `${field}_expression`]))
  const rules = keysAt(document, [...allow, 'rules']).length
  const denies = keysAt(document, ['spec', 'deny']).some((key) => has(document, ['spec', 'deny', key]))
  const parts = [
    kinds.map((field) => reaches[field].short).join(', '),
    rules > 0 ? `${rules} admin ${rules === 1 ? 'rule' : 'rules'}` : '',
    has(document, [...allow, 'request']) ? 'requests' : '',
    has(document, [...allow, 'review_requests']) ? 'reviews' : '',
    denies ? 'denies' : '',
  ]
  return { text: parts.filter(Boolean).join(' · ') || 'grants nothing', description: textAt(document, ['metadata', 'description']) }
}

/** Milliseconds after which the page has its turn: thousands of roles take seconds to read. */
const slice = 8

export async function summariesOf(
  roles: readonly { name: string; content: string }[],
  signal: AbortSignal,
): Promise<Map<string, RoleSummary>> {
  const summaries = new Map<string, RoleSummary>()
  let began = performance.now()
  for (const { name, content } of roles) {
    summaries.set(name, summaryOf(content))
    if (performance.now() - began < slice) continue
    await new Promise((resolve) => setTimeout(resolve))
    signal.throwIfAborted()
    began = performance.now()
  }
  return summaries
}

/** What the role says, in sentences. */
export function wordsOf(document: Document): string[] {
  const sentences: string[] = []
  for (const side of ['allow', 'deny'] as const) {
    const verb = side === 'allow' ? 'Reaches' : 'Never reaches'
    for (const field of selectors) {
      const entries = entriesAt(document, ['spec', side, field])
      if (entries.length > 0) sentences.push(`${verb} ${selectorWords(reaches[field].words, entries)}.`)
    }
    const logins = textsAt(document, ['spec', side, 'logins'])
    if (logins.length > 0) sentences.push(`${side === 'allow' ? 'Signs in to servers as' : 'Never signs in as'} ${list(logins, 'or')}.`)
    for (const index of keysAt(document, ['spec', side, 'rules'])) {
      const path = ['spec', side, 'rules', index]
      const [verbs, resources] = [textsAt(document, [...path, 'verbs']), textsAt(document, [...path, 'resources'])]
      if (verbs.length === 0 || resources.length === 0) continue
      const where = textAt(document, [...path, 'where'])
      const what = `${verbs.includes('*') ? 'do everything with' : list(verbs, 'and')} ${resources.includes('*') ? 'everything in the cluster' : list(resources, 'and')}`
      sentences.push(`${side === 'allow' ? 'May' : 'May never'} ${what}${where === '' ? '' : ' where a condition holds'}.`)
    }
  }
  const length = textAt(document, ['spec', 'options', 'max_session_ttl'])
  if (length !== '') sentences.push(`A sign-in lasts ${length} at most.`)
  return sentences
}

function selectorWords(things: string, entries: readonly Entry[]): string {
  if (entries.some(({ key, values }) => key === '*' && values.includes('*'))) return `all ${things}`
  return `${things} with ${list(
    entries.map(({ key, values }) => (values.includes('*') ? `any ${key}` : `${key} ${list(values, 'or')}`)),
    'and',
  )}`
}

const list = (items: readonly string[], word: 'and' | 'or'): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`

function has(document: Document, path: Path): boolean {
  const node = document.getIn(path, true)
  return isMap(node) ? node.items.length > 0 : textsAt(document, path).length > 0 || keysAt(document, path).length > 0
}
