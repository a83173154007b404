import { CircleCheck, Info, Search, WandSparkles } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { lineOf } from '../documents/problems.ts'
import type { Shape } from '../documents/shape.ts'
import { textAt } from '../documents/yaml-text.ts'
import { useSetting } from '../list/use-setting.ts'
import { useBlock } from '../use-block.ts'
import { YamlEditor } from '../yaml-editor/YamlEditor.tsx'
import type { YamlEditorHandle } from '../yaml-editor/YamlEditor.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EditorColumn, EditorPanel } from '../../ui/EditorPanel.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { media, useMedia } from '../../ui/use-media.ts'
import { FormProvider } from './form.ts'
import type { DocumentState } from './use-document.ts'
import styles from './DocumentEditor.module.css'

const views = ['form', 'both', 'yaml', 'rail'] as const

export interface DocumentEditorProps {
  /** Name of the document, or what is being made. */
  title: string
  /** "role": what Save saves. */
  thing: string
  /** What is known beside its state: "Preset". */
  note?: string | undefined
  shape: Shape
  state: DocumentState
  readOnly: boolean
  form: ReactNode
  /** Paths that only the text shows. */
  outside: readonly string[]
  rail: { title: string; /** Where there is room for a word. */ short: string; end?: ReactNode; content: ReactNode }
  busy: boolean
  /** A refusal that names no line. */
  error?: ReactNode
  onSave: () => void
  validate?: { busy: boolean; valid: boolean; run: () => void } | undefined
  onClose: () => void
}

/** A document in the making: form, text and consequence beside each other, over one text. */
export function DocumentEditor(props: DocumentEditorProps) {
  const { title, thing, note, shape, state, readOnly, form, outside, rail, busy, error, onSave, validate, onClose } = props
  const wide = useMedia(media.wide)
  const [chosen, setView] = useSetting('editorView', views, 'both')
  const view = wide ? (chosen === 'rail' ? 'both' : chosen) : chosen === 'both' ? 'form' : chosen
  const editor = useRef<YamlEditorHandle>(null)
  const [line, setLine] = useState<number>()
  const goTo = (position: number) => {
    if (view === 'yaml' || view === 'both') editor.current?.goTo(position)
    else setView('yaml')
    setLine(lineOf(state.text, position))
  }
  const errors = state.problems.filter(({ severity }) => severity === 'error').length
  const fresh = state.saved.text === ''
  const saveReason = readOnly
    ? `Your roles do not allow changing this ${thing}`
    : !state.parses
      ? 'Fix the YAML first'
      : textAt(state.document, ['metadata', 'name']) === ''
        ? 'Enter a name first'
        : !state.dirty && !fresh
          ? 'Nothing changed yet'
          : undefined
  const save = () => saveReason === undefined && !busy && onSave()
  const segmented = (
    <Segmented
      label="View"
      fill={!wide}
      value={view}
      onValue={setView}
      segments={[
        { value: 'form', label: 'Form' },
        ...(wide ? [{ value: 'both' as const, label: 'Form and YAML' }] : []),
        { value: 'yaml', label: 'YAML' },
        ...(wide ? [] : [{ value: 'rail' as const, label: rail.short }]),
      ]}
    />
  )
  return (
    <EditorPanel
      title={title}
      note={[readOnly ? 'Read only' : fresh ? 'New, not saved' : state.dirty ? 'Edited, not saved' : 'Saved', note]
        .filter(Boolean)
        .join('. ')}
      onClose={onClose}
      middle={wide && segmented}
      below={!wide && segmented}
      actions={
        !readOnly && (
          <>
            {validate && (
              <span className="hide-s">
                <Button kind="quiet" icon={CircleCheck} busy={validate.busy} onClick={validate.run}>
                  Validate
                </Button>
              </span>
            )}
            <Button kind="primary" busy={busy} disabledReason={saveReason} onClick={save}>
              Save {thing}
            </Button>
          </>
        )
      }
    >
      {(view === 'form' || view === 'both') && (
        <EditorColumn label="Form" flush>
          {error && <div className={styles['rest']}>{error}</div>}
          {state.parses ? (
            <FormProvider value={{ ...state, readOnly }}>{form}</FormProvider>
          ) : (
            <div className={styles['rest']}>
              <Alert
                kind="warn"
                title="The text is no YAML at the moment."
                action={
                  <Button size={24} onClick={() => goTo(state.problems[0]?.from ?? 0)}>
                    Line {lineOf(state.text, state.problems[0]?.from ?? 0)}
                  </Button>
                }
              >
                The form comes back when it is.
              </Alert>
            </div>
          )}
          {state.parses && outside.length > 0 && (
            <details className={styles['outside']}>
              <summary>
                <Icon of={Info} />
                <span className="strong grow">Some settings are only in YAML</span>
                <span className="muted">{outside.length}</span>
              </summary>
              <p className="t2 sm">The form keeps them as they are.</p>
              <span className="row wrap gap1">
                {outside.map((path) => (
                  <ValuePill key={path}>{path}</ValuePill>
                ))}
              </span>
            </details>
          )}
        </EditorColumn>
      )}
      {(view === 'yaml' || view === 'both') && (
        <EditorColumn
          label="YAML"
          ground="code"
          flush
          head={
            <>
              <span className="mono sm t2 trunc">{title}.yaml</span>
              <span className="grow" />
              {errors > 0 ? (
                <Badge tone="danger">{errors === 1 ? '1 error' : `${errors} errors`}</Badge>
              ) : (
                validate?.valid && <Badge tone="ok">Valid</Badge>
              )}
              {!readOnly && <IconButton icon={WandSparkles} size={24} label="Format" keys="Shift+Alt+F" onClick={state.format} />}
              <IconButton icon={Search} size={24} label="Find" keys="Ctrl+F" onClick={() => editor.current?.openFind()} />
            </>
          }
        >
          {view === 'yaml' && error && <div className={styles['rest']}>{error}</div>}
          <YamlEditor
            ref={editor}
            text={state.text}
            saved={state.saved.text}
            label={`YAML of the ${thing}`}
            readOnly={readOnly}
            shape={shape}
            problems={state.problems}
            onText={state.setText}
            onSave={save}
            onFormat={state.format}
          />
          {state.problems.length > 0 && (
            <ul className={styles['problems']} aria-label="Problems">
              {state.problems.map((problem) => (
                <li key={`${problem.from} ${problem.message}`}>
                  <button type="button" onClick={() => goTo(problem.from)} aria-current={lineOf(state.text, problem.from) === line}>
                    <StatusGlyph status={problem.severity === 'error' ? 'danger' : 'warn'} label={problem.severity} />
                    <span className="muted nowrap">Line {lineOf(state.text, problem.from)}</span>
                    <span>{problem.message}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </EditorColumn>
      )}
      {(wide || view === 'rail') && (
        <EditorColumn
          label={rail.title}
          head={
            <>
              <h3>{rail.title}</h3>
              <span className="grow" />
              {rail.end && <span className="muted sm">{rail.end}</span>}
            </>
          }
        >
          {rail.content}
        </EditorColumn>
      )}
    </EditorPanel>
  )
}

/** Asks before changes are lost by closing, by the Back key or by leaving the page. */
export function useUnsaved(dirty: boolean, thing: string): { leave: (run: () => void) => void } {
  return useBlock(dirty, `What you changed in this ${thing}`, { address: true })
}
