/** The text editor of documents, without React: highlighting, folding, find, completion, marks at what is wrong. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from '@codemirror/autocomplete'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Chunk } from '@codemirror/merge'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorSelection, EditorState, Text, Transaction } from '@codemirror/state'
import type { Extension, Range } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  ViewPlugin,
} from '@codemirror/view'
import type { DecorationSet, ViewUpdate } from '@codemirror/view'
import type { Problem, Shape } from '../documents/shape.ts'
import { offersAt } from './completions.ts'
import { editorTheme } from './editor-theme.ts'

export interface YamlEditorOptions {
  text: string
  /** Lines that differ from this are marked. */
  saved: string
  /** Name for screen readers. */
  label: string
  readOnly: boolean
  shape: Shape
  onText: (text: string) => void
  onSave: () => void
  onFormat: () => void
}

export interface YamlEditor {
  setText(text: string): void
  setSaved(text: string): void
  setProblems(problems: readonly Problem[]): void
  setReadOnly(readOnly: boolean): void
  openFind(): void
  /** Puts the cursor there and shows the line. */
  goTo(position: number): void
  destroy(): void
}

/** A change that came from outside: not to be told again. */
const fromOutside = Annotation.define<boolean>()

export function startYamlEditor(parent: HTMLElement, options: YamlEditorOptions): YamlEditor {
  const access = new Compartment()
  const changes = new Compartment()
  const accessOf = (readOnly: boolean): Extension => [EditorState.readOnly.of(readOnly), EditorView.editable.of(true)]
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        editorTheme,
        access.of(accessOf(options.readOnly)),
        changes.of(changedLines(options.saved)),
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightSpecialChars(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        search({ top: true }),
        yaml(),
        autocompletion({ override: [(context) => complete(context, options.shape)], icons: false }),
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': options.label,
          'aria-description': 'Escape, then Tab, leaves the editor.',
          spellcheck: 'false',
          autocapitalize: 'off',
          'data-1p-ignore': '',
        }),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (options.onSave(), true) },
          { key: 'Shift-Alt-f', preventDefault: true, run: () => (options.onFormat(), true) },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...lintKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.every((one) => one.annotation(fromOutside))) return
          options.onText(update.state.doc.toString())
        }),
      ],
    }),
  })
  // Escape belongs to the editor and its find box: what lies around them stays open.
  view.dom.addEventListener('keydown', (event) => void (event.key === 'Escape' && event.stopPropagation()))
  return {
    setText(text) {
      const now = view.state.doc.toString()
      if (text === now) return
      view.dispatch({ changes: difference(now, text), annotations: [fromOutside.of(true), Transaction.addToHistory.of(true)] })
    },
    setSaved: (text) => view.dispatch({ effects: changes.reconfigure(changedLines(text)) }),
    setProblems: (problems) => {
      const end = view.state.doc.length
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map(({ from, to, severity, message }) => ({
            from: Math.min(from, end),
            to: Math.min(Math.max(to, from), end),
            severity,
            message,
          })),
        ),
      )
    },
    setReadOnly: (readOnly) => view.dispatch({ effects: access.reconfigure(accessOf(readOnly)) }),
    openFind: () => void openSearchPanel(view),
    goTo(position) {
      const at = Math.min(position, view.state.doc.length)
      view.dispatch({ selection: EditorSelection.cursor(at), effects: EditorView.scrollIntoView(at, { y: 'center' }) })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

/** The one span in which two texts differ. */
export function difference(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

function complete(context: CompletionContext, shape: Shape): CompletionResult | null {
  const found = offersAt(context.state.doc.toString(), context.pos, shape)
  if (
    !found ||
    (found.typed === '' && !context.explicit && !/[:-] $/.test(context.state.sliceDoc(Math.max(0, context.pos - 2), context.pos)))
  )
    return null
  return {
    from: found.from,
    options: found.offers.map((offer): Completion => ({
      label: offer.label,
      type: offer.kind,
      ...(offer.detail && { detail: offer.detail }),
      ...(offer.info && { info: offer.info }),
      apply: (view, completion, from, to) => {
        const insert = offer.insert ?? completion.label
        const after = view.state.sliceDoc(to, to + 2)
        // Brackets that close by themselves are already there.
        const text = offer.kind === 'template' && after === '}}' ? insert.replace(/\}\}$/, '') : insert
        view.dispatch({
          changes: { from, to, insert: text },
          selection: EditorSelection.cursor(from + text.length),
          userEvent: 'input.complete',
        })
        if (text.endsWith(': ')) startCompletion(view)
      },
    })),
    validFor: /^[\w.*{"[\]}() -]*$/,
  }
}

const added = Decoration.line({ class: 'cm-added' })
const changed = Decoration.line({ class: 'cm-changed' })

/** Marks the lines that are new or different; a document that is all new has none. */
function changedLines(saved: string): Extension {
  if (saved === '') return []
  const original = Text.of(saved.split('\n'))
  const marks = (now: Text): DecorationSet => {
    const lines: Range<Decoration>[] = []
    for (const chunk of Chunk.build(original, now)) {
      if (chunk.fromB === chunk.toB) continue
      const last = now.lineAt(Math.min(chunk.endB, now.length)).number
      for (let number = now.lineAt(chunk.fromB).number; number <= last; number += 1)
        lines.push((chunk.fromA === chunk.toA ? added : changed).range(now.line(number).from))
    }
    return Decoration.set(lines)
  }
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = marks(view.state.doc)
      }
      update(update: ViewUpdate) {
        if (update.docChanged) this.decorations = marks(update.state.doc)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  )
}
