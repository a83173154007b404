import { marked } from 'marked'
import type { Token, Tokens } from 'marked'
import { Fragment, useMemo } from 'react'
import type { ReactNode } from 'react'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { safeLink } from '../terminal-engine/untrusted-text.ts'
import styles from './Markdown.module.css'

/** Deeper is shown as it was written: nobody writes so, but a model may. */
const deepest = 12

/** What a model wrote. It becomes elements one by one, so there is no HTML in it, and nothing is fetched for it. */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => read(text), [text])
  return <div className={styles['text']}>{tokens ? blocks(tokens, 0) : <p className={styles['plain']}>{text}</p>}</div>
}

function read(text: string): Token[] | undefined {
  try {
    return marked.lexer(text, { gfm: true, breaks: false })
  } catch {
    return undefined // shown as it is
  }
}

const blocks = (tokens: readonly Token[], depth: number): ReactNode =>
  tokens.map((token, index) => <Fragment key={index}>{block(token, depth)}</Fragment>)

function block(token: Token, depth: number): ReactNode {
  if (depth > deepest) return token.raw
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <p className={styles['heading']}>{inline(token.tokens, token.raw, depth)}</p>
    case 'paragraph':
      return <p>{inline(token.tokens, token.raw, depth)}</p>
    case 'code':
      return <CodeBlock text={(token as Tokens.Code).text} copyLabel="Copy code" />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>
    case 'list': {
      const { ordered, items, start } = token as Tokens.List
      const entries = items.map((item, index) => <li key={index}>{blocks(item.tokens, depth + 1)}</li>)
      return ordered ? <ol start={Number(start) || 1}>{entries}</ol> : <ul>{entries}</ul>
    }
    case 'table':
      return <Table table={token as Tokens.Table} depth={depth} />
    case 'hr':
      return <hr />
    case 'text':
      return token.tokens ? inline(token.tokens, token.raw, depth) : (token as Tokens.Text).text
    default:
      return <p className={styles['plain']}>{token.raw}</p>
  }
}

function Table({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
    <div className={styles['table']} tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col">
                {inline(cell.tokens, cell.text, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>{inline(cell.tokens, cell.text, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inline(tokens: readonly Token[] | undefined, raw: string, depth: number): ReactNode {
  if (!tokens || depth > deepest) return raw
  return tokens.map((token, index) => <Fragment key={index}>{span(token, depth + 1)}</Fragment>)
}

function span(token: Token, depth: number): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, token.raw, depth)}</strong>
    case 'em':
      return <em>{inline(token.tokens, token.raw, depth)}</em>
    case 'del':
      return <del>{inline(token.tokens, token.raw, depth)}</del>
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link': {
      const { href } = token as Tokens.Link
      const address = safeLink(href)
      const words = inline(token.tokens, token.raw, depth)
      if (address === undefined) return words
      return (
        <a href={address} target="_blank" rel="noopener noreferrer" title={address}>
          {words}
        </a>
      )
    }
    // Fetching it would tell somebody that it was read.
    case 'image':
      return <span className="muted">[picture: {(token as Tokens.Image).text}]</span>
    case 'escape':
      return (token as Tokens.Escape).text
    case 'text':
      return token.tokens ? inline(token.tokens, token.raw, depth) : (token as Tokens.Text).text
    default:
      return token.raw
  }
}
