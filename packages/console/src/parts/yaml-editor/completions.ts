/** What may be typed at a place of a document, from its shape. Without the editor, so that it can be tested. */
import { templates } from '../documents/role-shape.ts'
import { shapeAt } from '../documents/shape.ts'
import type { Shape } from '../documents/shape.ts'
import { keysAt, parseText } from '../documents/yaml-text.ts'
import { placeAt } from './cursor-path.ts'

export interface Offer {
  label: string
  /** What is put in; the label when absent. */
  insert?: string
  detail?: string
  info?: string
  kind: 'field' | 'value' | 'template'
}
export interface Offers {
  from: number
  typed: string
  offers: Offer[]
}

export function offersAt(text: string, position: number, shape: Shape): Offers | undefined {
  const place = placeAt(text, position)
  if (!place) return undefined
  const { path, at, typed, from } = place
  const found = shapeAt(shape, path)
  const result = (offers: Offer[]): Offers | undefined => (offers.length === 0 ? undefined : { from, typed, offers })
  const template = /\{\{[^}]*$/.exec(typed)
  if (template) {
    const offers = templates.map((one): Offer => ({ label: one, kind: 'template' }))
    return { from: from + template.index, typed: template[0], offers }
  }
  if (!found) return undefined
  if (found.is === 'map') return at === 'key' ? result(fields(found.fields, new Set(keysNear(text, path)))) : undefined
  if (found.is === 'list' && at === 'key') return undefined
  return result(values(found.is === 'list' ? found.of : found))
}

const fields = (shapes: Readonly<Record<string, Shape>>, taken: ReadonlySet<string | number>): Offer[] =>
  Object.entries(shapes)
    .filter(([name]) => !taken.has(name))
    .map(([name, shape]) => ({
      label: name,
      insert: shape.is === 'map' || shape.is === 'named' || (shape.is === 'list' && shape.of.is === 'map') ? `${name}:` : `${name}: `,
      detail: detailOf(shape),
      ...(shape.note && { info: shape.note }),
      kind: 'field',
    }))

function values(shape: Shape): Offer[] {
  if (shape.is === 'flag') return ['true', 'false'].map((label) => ({ label, kind: 'value' }))
  if (shape.is !== 'text') return []
  return (shape.values ?? []).map((label) => ({
    label: label === '' ? "''" : label,
    ...(/[{}[\]#*&!|>'"%@`]|: /.test(label) && { insert: quote(label) }),
    kind: label.includes('{{') ? 'template' : 'value',
  }))
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

function detailOf(shape: Shape): string {
  if (shape.is === 'flag') return 'true or false'
  if (shape.is === 'list') return 'list'
  if (shape.is === 'named') return 'labels'
  if (shape.is === 'map') return 'fields'
  return shape.is === 'number' ? 'number' : ''
}

/** Fields that the map already has; nothing when the text does not parse far enough. */
function keysNear(text: string, path: readonly (string | number)[]): (string | number)[] {
  return path.includes(0) ? [] : keysAt(parseText(text), path)
}
