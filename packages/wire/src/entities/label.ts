import * as z from 'zod/mini'
import { hiddenLabelPrefixes } from '../limits.ts'

export const labelWire = z.object({ name: z.string(), value: z._default(z.string(), '') })
export type Label = z.output<typeof labelWire>

export const isHiddenLabel = (name: string): boolean => hiddenLabelPrefixes.some((prefix) => name.startsWith(prefix))

/** Labels as the wire shows them: hidden ones removed, sorted by name. */
export const toLabels = (labels: Readonly<Record<string, string>>): Label[] =>
  Object.entries(labels)
    .filter(([name]) => !isHiddenLabel(name))
    .map(([name, value]) => ({ name, value }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
