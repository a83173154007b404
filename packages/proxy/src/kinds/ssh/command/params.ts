/** The parameters of the command socket, with the refusals that consoles know. */
import { commandParamsWire } from '@sallyport/wire/sockets/command.ts'
import type { CommandParams } from '@sallyport/wire/sockets/command.ts'
import { badParameter } from '../../../core/errors.ts'
import { parseJsonParams } from '../json-params.ts'

const names = {
  command: 'command',
  query: 'query',
  login: 'login',
  conversation_id: 'conversation ID',
  execution_id: 'execution ID',
} as const satisfies Record<keyof CommandParams, string>

/** Throws bad parameter. */
export function parseCommandParams(json: string | undefined): CommandParams {
  const { data, error } = commandParamsWire.safeParse(parseJsonParams(json))
  if (!data) throw badParameter(`invalid payload: ${error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`)
  for (const [field, name] of Object.entries(names) as [keyof CommandParams, string][])
    if (data[field].trim() === '') throw badParameter(`invalid payload: missing ${name}`)
  return data
}
