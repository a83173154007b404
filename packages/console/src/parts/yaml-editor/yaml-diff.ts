/** What changed between two texts, as one text with both, unchanged stretches folded away. */
import { yaml } from '@codemirror/lang-yaml'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { editorTheme } from './editor-theme.ts'

export function startYamlDiff(parent: HTMLElement, { before, after, label }: { before: string; after: string; label: string }): () => void {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: after,
      extensions: [
        editorTheme,
        lineNumbers(),
        yaml(),
        EditorState.readOnly.of(true),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.editable.of(false),
        unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: { margin: 2, minSize: 4 } }),
      ],
    }),
  })
  return () => view.destroy()
}
