import { badParameter } from '../../core/errors.ts'

/** The `params` of a socket's address, which are JSON; what they have to hold is for the caller to say. Throws bad parameter. */
export function parseJsonParams(json: string | undefined): unknown {
  if (!json) throw badParameter('missing params')
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw badParameter('params: not valid JSON', { cause })
  }
}
