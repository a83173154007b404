/** Pieces that the documents of all three kinds of connectors are made of. */
import { z } from 'zod'
import { whyNotValue } from './mapping.ts'

export const line = z.string().max(2048)
export const optionalLine = line.default('')
/** A secret of a provider. Sealed once it is stored. */
export const secret = z.string().max(65_536).default('')

export const roleList = z.array(z.string().min(1).max(255)).min(1, 'give at least one role').max(100)
export const maxMappings = 1000

export const mappingValue = line.superRefine((value, context) => {
  const reason = whyNotValue(value)
  if (reason !== undefined) context.addIssue({ code: 'custom', message: reason })
})

const words = new Map<unknown, boolean>([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
])
export const flag = z.preprocess((value) => words.get(value) ?? value, z.boolean()).default(false)

/** Names become parts of addresses. */
const validName = /^[\p{L}\p{N}_][\p{L}\p{N}_. @+-]{0,254}$/u
const reservedNames = ['local', 'passwordless', 'headless']

export function whyNotConnectorName(name: string): string | undefined {
  if (reservedNames.includes(name)) return `the connector name "${name}" is reserved; choose another`
  return validName.test(name) ? undefined : `the connector name "${name}" may hold letters, digits, spaces and . _ @ + - only`
}

export const connectorTexts = {
  whyNotName: whyNotConnectorName,
  existsText: (name: string): string => `resource with name "${name}" already exists`,
  missingText: (name: string): string => `resource with name "${name}" does not exist`,
}
