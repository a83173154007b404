/** Asks a proxy over the network, as a person's command line does. */
import type { z } from 'zod'
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import type { AnswerOf, BodyInput, Call, ParamsOf, QueryInput } from '@sallyport/wire/call.ts'
import { errorBodyWire } from '@sallyport/wire/errors.ts'
import { CommandError } from './command-error.ts'

/** `console.example.com`, `localhost:3080` or a whole address; machines of the network are reached over TLS only. Throws CommandError. */
export function originOf(proxy: string): string {
  const url = URL.parse(/^https?:\/\//.test(proxy) ? proxy : `${/^localhost(:|$)/.test(proxy) ? 'http' : 'https'}://${proxy}`)
  if (!url || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new CommandError(`"${proxy}" is no address of a proxy: give one such as console.example.com or localhost:3080.`)
  const isLocal = url.hostname === 'localhost' || url.hostname.endsWith('.localhost') || /^(127\.|\[::1\])/.test(url.hostname)
  if (url.protocol === 'http:' && !isLocal)
    throw new CommandError(`${url.origin} is not encrypted: passwords are sent over HTTPS only, or to this machine itself.`)
  return url.origin
}

/** Rejects with a CommandError when the proxy cannot be reached, refuses, or answers in an unknown form. */
export async function callProxy<C extends Call>(
  origin: string,
  call: C,
  {
    params = {},
    body,
    query,
    signal,
  }: { params?: ParamsOf<C> | Record<string, never>; body?: BodyInput<C>; query?: QueryInput<C>; signal?: AbortSignal } = {},
): Promise<AnswerOf<C>> {
  const response = await fetch(origin + callPath(call.path, params) + callSearch(query ?? {}), {
    method: call.method,
    headers: { accept: 'application/json', 'content-type': 'application/json; charset=utf-8', 'user-agent': 'sallyport' },
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((cause: unknown) => {
    throw new CommandError(`The proxy at ${origin} cannot be reached: ${reasonOf(cause)}.`, { cause })
  })
  const json: unknown = await response.json().catch(() => undefined) // no JSON: the answer is of something else
  if (!response.ok) {
    const refusal = errorBodyWire.safeParse(json)
    throw new CommandError(refusal.success ? refusal.data.error.message : `${origin} answered ${response.status}.`)
  }
  const answer = (call.out as unknown as z.ZodType<AnswerOf<C>>).safeParse(json)
  if (!answer.success) throw new CommandError(`${origin} answered in a form that is not known here: is it a Sallyport proxy?`)
  return answer.data
}

/** What went wrong with the connection is one level below what fetch says. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return inner instanceof Error ? inner.message : String(inner)
}
