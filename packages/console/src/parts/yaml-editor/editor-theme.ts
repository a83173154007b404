/** The editor in our tokens; they follow the theme by themselves. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'

const squiggle = (token: string) => ({
  backgroundImage: 'none',
  textDecoration: `underline wavy var(--${token}) 1px`,
  textUnderlineOffset: '4px',
  textDecorationSkipInk: 'none',
})
const marker = (token: string, shape: string) => ({
  content: "''",
  width: '8px',
  height: '8px',
  margin: '6px 2px',
  background: `var(--${token})`,
  clipPath: shape,
})

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--term-bg)', fontSize: 'var(--f13)' },
  '&.cm-focused': { outline: '0' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', fontVariantLigatures: 'none' },
  '.cm-content': { padding: 'var(--s2) 0', caretColor: 'var(--term-cursor)' },
  '.cm-line': { padding: '0 var(--s3) 0 var(--s2)' },
  '.cm-gutters': { backgroundColor: 'var(--term-bg)', color: 'var(--muted)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 var(--s1) 0 var(--s2)' },
  '.cm-foldGutter .cm-gutterElement': { width: '14px', cursor: 'pointer', color: 'var(--muted)' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeft: '2px solid var(--term-cursor)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection': {
    background: 'var(--term-select)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--select)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--press)', outline: '1px solid var(--line-2)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-bg)' },
  '.cm-searchMatch': { backgroundColor: 'var(--term-find)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--term-find-on)', color: 'var(--text)' },
  '.cm-foldPlaceholder': { background: 'var(--select)', border: '0', color: 'var(--brand-text)', padding: '0 var(--s1)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontFamily: 'var(--sans)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: 'var(--s2) var(--s5) var(--s2) var(--s2)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--f12)', color: 'var(--text-2)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text-2)', width: '24px', height: '24px', textAlign: 'center' },
  '.cm-textfield': {
    backgroundColor: 'var(--elevated)',
    border: '1px solid var(--control)',
    borderRadius: 'var(--r-m)',
    fontFamily: 'var(--mono)',
    fontSize: 'var(--f12)',
    minHeight: '24px',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-2)',
    borderRadius: 'var(--r-m)',
    fontSize: 'var(--f12)',
    minHeight: '24px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--elevated)',
    color: 'var(--text)',
    border: '0',
    borderRadius: 'var(--r-l)',
    boxShadow: 'var(--shadow-2)',
    fontFamily: 'var(--sans)',
    zIndex: 'calc(var(--z-modal) + 1)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: 'var(--f13)',
    padding: 'var(--s1)',
    maxHeight: '240px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px var(--s2)', borderRadius: 'var(--r-m)', lineHeight: '20px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--select)', color: 'var(--text)' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--brand-text)', fontWeight: 'var(--w-strong)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', fontFamily: 'var(--sans)', fontSize: 'var(--f12)' },
  '.cm-tooltip.cm-completionInfo': { padding: 'var(--s2)', fontSize: 'var(--f12)', color: 'var(--text-2)' },
  '.cm-diagnostic': { padding: 'var(--s2)', borderLeft: '0', fontSize: 'var(--f12)' },
  '.cm-diagnostic-error': { color: 'var(--danger)' },
  '.cm-diagnostic-warning': { color: 'var(--warn)' },
  '.cm-lintRange-error': squiggle('danger'),
  '.cm-lintRange-warning': squiggle('warn-mark'),
  '.cm-gutter-lint': { width: '12px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker-error': marker('danger', 'polygon(50% 0, 100% 50%, 50% 100%, 0 50%)'),
  '.cm-lint-marker-warning': marker('warn-mark', 'polygon(50% 0, 100% 100%, 0 100%)'),
  '.cm-added': { backgroundColor: 'var(--ok-bg)', boxShadow: 'inset 2px 0 var(--ok-mark)' },
  '.cm-changed': { backgroundColor: 'var(--info-bg)', boxShadow: 'inset 2px 0 var(--info-mark)' },
  // Comparisons.
  '.cm-changedText': { background: 'var(--press)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-bg)', paddingLeft: 'var(--s2)' },
  '.cm-deletedChunk .cm-deletedText, .cm-deletedText': { background: 'var(--press)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--ok-bg)' },
  '.cm-changedLine .cm-changedText': { background: 'var(--press)' },
  '.cm-deletedLineGutter, .cm-deletedLine': { borderColor: 'var(--danger)' },
  '.cm-changeGutter .cm-changedLineGutter': { background: 'var(--ok-mark)' },
  '.cm-changeGutter .cm-deletedLineGutter': { background: 'var(--danger)' },
  '.cm-collapsedLines': { color: 'var(--muted)', background: 'var(--sunken)', padding: 'var(--s1) var(--s3)', fontFamily: 'var(--sans)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: 'none' },
})

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--code-str)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.labelName], color: 'var(--code-num)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--code-com)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace, tags.meta], color: 'var(--code-punct)' },
])

export const editorTheme: Extension = [look, syntaxHighlighting(colours)]
