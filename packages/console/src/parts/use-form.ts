import { useState } from 'react'
import type { ChangeEvent, FormEvent } from 'react'
import type { Problem } from './validators/problem.ts'

type Problems<V> = { [K in keyof V]?: Problem }

export interface FieldBinding {
  name: string
  value: string
  error: string | undefined
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
  onBlur: () => void
}

export interface Form<V> {
  values: V
  set: (patch: Partial<V>) => void
  /** Props of a text field. */
  field: (name: keyof V & string) => FieldBinding
  /** Props of a code field. */
  code: (name: keyof V & string) => Omit<FieldBinding, 'onChange'> & { onValue: (value: string) => void }
  /** Submits when every field is good; otherwise shows what is not and goes to the first of them. */
  submit: (send: (values: V) => void) => (event: FormEvent<HTMLFormElement>) => void
  reset: () => void
}

/** Text fields that are checked when left after a change and on submit, and cleared of blame while being typed in. */
export function useForm<V extends Record<string, string>>(initial: V, validate: (values: V) => Problems<V>): Form<V> {
  const [values, setValues] = useState(initial)
  const [problems, setProblems] = useState<Problems<V>>({})
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())

  const change = (name: string, value: string): void => {
    setValues((now) => ({ ...now, [name]: value }))
    setTouched((now) => new Set(now).add(name))
    setProblems((now) => ({ ...now, [name]: undefined }))
  }
  const leave = (name: string): void => {
    if (touched.has(name)) setProblems((now) => ({ ...now, [name]: validate(values)[name] }))
  }
  const binding = (name: keyof V & string) => ({
    name,
    value: values[name] ?? '',
    error: problems[name],
    onBlur: () => leave(name),
  })
  return {
    values,
    set: (patch) => setValues((now) => ({ ...now, ...patch })),
    field: (name) => ({ ...binding(name), onChange: (event) => change(name, event.target.value) }),
    code: (name) => ({ ...binding(name), onValue: (value) => change(name, value) }),
    submit: (send) => (event) => {
      event.preventDefault()
      const found = validate(values)
      setProblems(found)
      const first = Object.keys(values).find((name) => found[name] !== undefined)
      if (first === undefined) return send(values)
      const control = event.currentTarget.elements.namedItem(first)
      if (control instanceof HTMLElement) control.focus()
    },
    reset: () => {
      setValues(initial)
      setTouched(new Set())
      setProblems({})
    },
  }
}
