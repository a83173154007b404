import { useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import type { Ref } from 'react'
import type { Problem, Shape } from '../documents/shape.ts'
import { startYamlEditor } from './yaml-editor.ts'
import type { YamlEditor as Editor } from './yaml-editor.ts'
import styles from './YamlEditor.module.css'

export type YamlEditorHandle = Pick<Editor, 'openFind' | 'goTo'>

export interface YamlEditorProps {
  text: string
  saved: string
  label: string
  readOnly?: boolean
  shape: Shape
  problems: readonly Problem[]
  onText: (text: string) => void
  onSave: () => void
  onFormat: () => void
  ref?: Ref<YamlEditorHandle>
}

/** A YAML document being typed. The text belongs to whoever renders it. */
export function YamlEditor({ text, saved, label, readOnly = false, shape, problems, onText, onSave, onFormat, ref }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  const latest = useRef({ text, saved, readOnly, onText, onSave, onFormat })
  // With the commit and not after it: a key may come between the two, and is meant for what is shown.
  useLayoutEffect(() => {
    latest.current = { text, saved, readOnly, onText, onSave, onFormat }
  })
  useEffect(() => {
    if (!host.current) return undefined
    const started = startYamlEditor(host.current, {
      ...latest.current,
      label,
      shape,
      onText: (next) => latest.current.onText(next),
      onSave: () => latest.current.onSave(),
      onFormat: () => latest.current.onFormat(),
    })
    editor.current = started
    return () => {
      editor.current = undefined
      started.destroy()
    }
  }, [label, shape])
  // Later it would take back what was typed since.
  useLayoutEffect(() => editor.current?.setText(text), [text])
  useEffect(() => editor.current?.setSaved(saved), [saved])
  useEffect(() => editor.current?.setReadOnly(readOnly), [readOnly])
  useEffect(() => editor.current?.setProblems(problems), [problems])
  useImperativeHandle(ref, () => ({
    openFind: () => editor.current?.openFind(),
    goTo: (position) => editor.current?.goTo(position),
  }))
  return <div ref={host} className={styles['host']} />
}
