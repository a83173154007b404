/** The editor of statements, without React. */
import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { MariaSQL, PostgreSQL, sql } from '@codemirror/lang-sql'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorSelection, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { editorTheme } from '../../parts/yaml-editor/editor-theme.ts'

export interface SqlEditor {
  /** What is selected, else everything; `from` is where it begins. */
  chosen(): { text: string; from: number }
  /** Marks the place of a mistake and shows it; undefined takes the mark away. */
  setProblem(problem: { at: number; message: string } | undefined): void
  /** Colours and suggestions of what the database speaks. */
  setProtocol(protocol: string): void
  focus(): void
  destroy(): void
}

const dialectOf = (protocol: string) => sql({ dialect: protocol === 'mysql' ? MariaSQL : PostgreSQL })

export function startSqlEditor(parent: HTMLElement, onRun: () => void): SqlEditor {
  const language = new Compartment()
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        editorTheme,
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightSpecialChars(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        language.of(dialectOf('')),
        autocompletion({ icons: false }),
        placeholder('select * from …'),
        EditorState.tabSize.of(2),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'Statements',
          'aria-description': 'Control and Enter runs them. Escape, then Tab, leaves the editor.',
          spellcheck: 'false',
          autocapitalize: 'off',
          'data-1p-ignore': '',
        }),
        keymap.of([
          { key: 'Mod-Enter', preventDefault: true, run: (editor) => (closeCompletion(editor), onRun(), true) },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
      ],
    }),
  })
  return {
    chosen() {
      const { from, to, empty } = view.state.selection.main
      return empty ? { text: view.state.doc.toString(), from: 0 } : { text: view.state.sliceDoc(from, to), from }
    },
    setProblem(problem) {
      const end = view.state.doc.length
      const from = Math.min(problem?.at ?? 0, end)
      const word = /^[\w"$]+/.exec(view.state.sliceDoc(from, Math.min(from + 100, end)))?.[0].length ?? 1
      const to = Math.min(from + word, end)
      view.dispatch(setDiagnostics(view.state, problem ? [{ from, to, severity: 'error', message: problem.message }] : []))
      if (problem) view.dispatch({ selection: EditorSelection.cursor(from), effects: EditorView.scrollIntoView(from, { y: 'nearest' }) })
    },
    setProtocol: (protocol) => view.dispatch({ effects: language.reconfigure(dialectOf(protocol)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}
