/** Labels as they are typed: `env=prod`. */
import type { Label } from '@sallyport/wire/entities/label.ts'

export function splitLabel(text: string): Label {
  const at = text.indexOf('=')
  return at === -1 ? { name: text.trim(), value: '' } : { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }
}

export const isWhole = ({ name, value }: Label): boolean => name !== '' && value !== ''

/** Those that are whole. */
export const labelsOf = (typed: readonly string[]): Label[] => typed.map(splitLabel).filter(isWhole)
