import { useEffect, useImperativeHandle, useRef } from 'react'
import type { Ref } from 'react'
import { startSqlEditor } from './sql-editor.ts'
import type { SqlEditor as Editor } from './sql-editor.ts'
import styles from './Sql.module.css'

export type SqlEditorHandle = Pick<Editor, 'chosen' | 'setProblem' | 'focus'>

export interface SqlEditorProps {
  /** What the database speaks; empty while that is not known. */
  protocol: string
  onRun: () => void
  ref: Ref<SqlEditorHandle>
}

/** Statements being typed; the text is the editor's own. */
export function SqlEditor({ protocol, onRun, ref }: SqlEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  const latest = useRef(onRun)
  useEffect(() => {
    latest.current = onRun
  })
  useEffect(() => {
    if (!host.current) return undefined
    const started = startSqlEditor(host.current, () => latest.current())
    editor.current = started
    started.focus()
    return () => {
      editor.current = undefined
      started.destroy()
    }
  }, [])
  useEffect(() => {
    if (protocol !== '') editor.current?.setProtocol(protocol)
  }, [protocol])
  useImperativeHandle(ref, () => ({
    chosen: () => editor.current?.chosen() ?? { text: '', from: 0 },
    setProblem: (problem) => editor.current?.setProblem(problem),
    focus: () => editor.current?.focus(),
  }))
  return <div ref={host} className={styles['editor']} />
}
