import { useId, useState } from 'react'
import { setAt, setTexts, textAt, textsAt, valueAt } from '../documents/yaml-text.ts'
import { boxClass, describedBy, Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { problemAt, useFormState } from './form.ts'
import type { FieldSpec } from './form.ts'
import { LabelsField } from './LabelsField.tsx'
import styles from './DocumentEditor.module.css'

/** The fields of a part of the document, two in a row where they are short. */
export function FormFields({ fields }: { fields: readonly FieldSpec[] }) {
  return fields.map((field) => <FormField key={field.path.join('.')} field={field} />)
}

const unset = ' '
const flags = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

export function FormField({ field }: { field: FieldSpec }) {
  const form = useFormState()
  const { document, text, setText, readOnly } = form
  const { path, label, help, required } = field
  const texts = { label, help, required, error: problemAt(form, path) }
  const put = (value: unknown) => setText(setAt(text, path, value))
  if (field.as === 'labels') return <LabelsField label={label} path={path} />
  if (field.as === 'texts') {
    const values = textsAt(document, path)
    const wrong = values.map((value) => field.whyNot?.(value)).find((why) => why !== undefined)
    return (
      <TagsField
        {...texts}
        error={texts.error ?? wrong}
        values={values}
        suggestions={field.suggestions}
        disabled={readOnly}
        onValues={(next) => setText(setTexts(text, path, next))}
      />
    )
  }
  if (field.as === 'flag' || field.as === 'choice') {
    const now = valueAt(document, path)
    const choices = field.as === 'flag' ? flags : field.choices
    return (
      <Select
        {...texts}
        options={[{ value: unset, label: field.usual }, ...choices]}
        value={now === undefined || now === null ? unset : normal(String(now))}
        disabled={readOnly}
        onValue={(value) => put(value === unset ? undefined : value === 'true' ? true : value === 'false' ? false : value)}
      />
    )
  }
  if (field.as === 'secret') return <SecretField texts={texts} value={textAt(document, path)} readOnly={readOnly} onValue={put} />
  const value = textAt(document, path)
  if (field.as === 'text' && field.lines)
    return (
      <LinesField
        texts={texts}
        mono={field.mono ?? false}
        value={value}
        readOnly={readOnly}
        onValue={(next) => put(next === '' ? undefined : next)}
      />
    )
  return (
    <TextField
      {...texts}
      error={texts.error ?? (field.as === 'text' && value !== '' ? field.whyNot?.(value) : undefined)}
      value={value}
      mono={field.as === 'number' || (field.mono ?? false)}
      placeholder={field.placeholder}
      inputMode={field.as === 'number' ? 'numeric' : undefined}
      disabled={readOnly || (field.as === 'text' && (field.fixed ?? false))}
      autoComplete="off"
      spellCheck={false}
      data-1p-ignore=""
      onChange={(event) => {
        const next = event.target.value
        if (field.as === 'number') put(next === '' ? undefined : /^\d+$/.test(next) ? Number(next) : next)
        else put(next === '' && !required ? undefined : next)
      }}
    />
  )
}

/** The spellings of true and false that a document may have. */
const normal = (value: string): string => (/^(yes|on|1)$/i.test(value) ? 'true' : /^(no|off|0)$/i.test(value) ? 'false' : value)

interface Texts {
  label: string
  help: string | undefined
  required: boolean | undefined
  error: string | undefined
}

/** A secret comes back empty or masked and is kept when it is left alone. */
function SecretField({
  texts,
  value,
  readOnly,
  onValue,
}: {
  texts: Texts
  value: string
  readOnly: boolean
  onValue: (value: string) => void
}) {
  const [changing, setChanging] = useState(false)
  return (
    <TextField
      {...texts}
      help={value === '' && !changing ? 'Leave empty to keep the stored secret' : texts.help}
      type="password"
      mono
      value={value}
      disabled={readOnly}
      autoComplete="new-password"
      data-1p-ignore=""
      onChange={(event) => {
        setChanging(true)
        onValue(event.target.value)
      }}
    />
  )
}

function LinesField({
  texts,
  mono,
  value,
  readOnly,
  onValue,
}: {
  texts: Texts
  mono: boolean
  value: string
  readOnly: boolean
  onValue: (value: string) => void
}) {
  const id = useId()
  return (
    <Field id={id} {...texts}>
      <div className={boxClass({ multi: true, error: Boolean(texts.error), disabled: readOnly })}>
        <textarea
          id={id}
          rows={2}
          className={`${styles['lines']} ${mono ? 'mono' : ''}`}
          value={value}
          disabled={readOnly}
          aria-describedby={describedBy(id, texts)}
          onChange={(event) => onValue(event.target.value)}
        />
      </div>
    </Field>
  )
}
