/** Labels as they are typed: `env=prod`. */
import type { Label } from '@sallyport/wire/entities/label.ts'
import type { Problem } from '../../parts/validators.ts'

function split(text: string): Label {
  const at = text.indexOf('=')
  return at === -1 ? { name: text.trim(), value: '' } : { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }
}

const isWhole = ({ name, value }: Label): boolean => name !== '' && value !== ''

export function whyNotLabel(typed: readonly string[]): Problem {
  const labels = typed.map(split)
  if (!labels.every(isWhole)) return 'Enter both key and value'
  if (labels.some(({ name }) => !/^[A-Za-z0-9/_.:-]+$/.test(name))) return 'Use letters, digits and / _ . : - in keys'
  return new Set(labels.map(({ name }) => name)).size < labels.length ? 'This label is already there' : undefined
}

export const labelsOf = (typed: readonly string[]): Label[] => typed.map(split).filter(isWhole)
