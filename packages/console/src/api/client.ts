/** The only place of the console that calls fetch. */
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import type { AnswerOf, BodyInput, Call, ParamsOf, QueryInput } from '@sallyport/wire/call.ts'
import { ApiError, networkFailureText, toApiError } from '@sallyport/wire/errors.ts'
import { withoutNulls } from '@sallyport/wire/without-nulls.ts'

type Part<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : Record<never, never> extends T
    ? { [K in Name]?: T }
    : undefined extends T
      ? { [K in Name]?: T }
      : { [K in Name]: T }

/** What a call is made with; parts that a call does not have are absent. */
export type CallInput<C extends Call> = Part<'params', ParamsOf<C>> & Part<'query', QueryInput<C>> & Part<'body', BodyInput<C>>

export interface CallOptions {
  /** Further headers, for calls that take a value there. */
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
}

interface LooseInput {
  params?: Readonly<Record<string, unknown>> | undefined
  query?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

/** Arguments after the call: the input may be left out where every part of it may. */
export type CallArguments<C extends Call> =
  Record<never, never> extends CallInput<C> ? [input?: CallInput<C>, options?: CallOptions] : [input: CallInput<C>, options?: CallOptions]

export interface ClientHost {
  /** The browser's own by default. */
  fetch?: typeof fetch
  /** The page's own origin; every call goes there. */
  origin: string
  /** Anti-forgery token, read anew for each call. */
  csrfToken: () => string
  /** Undefined while nobody is signed in. */
  bearer: () => string | undefined
}

export interface Client {
  /**
   * Makes a call and checks its answer against the contract, tolerantly: unknown fields are dropped, missing optional
   * ones get their default. Throws ApiError for every failure but an abort, which stays the DOMException it is.
   */
  request<C extends Call>(call: C, ...rest: CallArguments<C>): Promise<AnswerOf<C>>
  /** The answer's body untouched, for calls whose answer is `raw`. Throws ApiError for a status of 400 and above. */
  requestRaw<C extends Call>(call: C, ...rest: CallArguments<C>): Promise<Response>
  /** Posts a form to a path of the proxy. Throws for anything that is no form, and ApiError as `request` does. */
  postForm(path: string, form: unknown, options?: CallOptions): Promise<Response>
}

export const notFormText = 'data for body is not a type of FormData'

export function createClient(host: ClientHost): Client {
  const fetchNow: typeof fetch = host.fetch ?? ((input, init) => fetch(input, init))
  const send = (call: Call, input: LooseInput, options: CallOptions): Promise<Response> => {
    const path = callPath(call.path, input.params ?? {}) + callSearch(input.query ?? {})
    const body = input.body === undefined ? undefined : JSON.stringify(input.body)
    return sendTo(call.method, path, { body, type: 'application/json; charset=utf-8' }, options)
  }
  const sendTo = async (
    method: string,
    path: string,
    { body, type }: { body: string | FormData | undefined; type?: string },
    { signal, headers: more }: CallOptions,
  ): Promise<Response> => {
    const url = host.origin + path
    const headers = new Headers({ ...more, Accept: 'application/json', 'X-CSRF-Token': host.csrfToken() })
    // Of a form the browser tells the type itself, with the boundary that it has chosen.
    if (type !== undefined) headers.set('Content-Type', type)
    const bearer = host.bearer()
    if (bearer !== undefined) headers.set('Authorization', `Bearer ${bearer}`)
    let response: Response
    try {
      response = await fetchNow(url, {
        method,
        headers,
        cache: 'no-store',
        credentials: 'same-origin',
        mode: 'same-origin',
        ...(body === undefined ? {} : { body }),
        ...(signal ? { signal } : {}),
      })
    } catch (cause) {
      if (signal?.aborted) throw cause
      throw new ApiError(networkFailureText, undefined, { cause })
    }
    if (!response.ok) throw toApiError(response.status, response.url || url, await textOf(response))
    return response
  }

  return {
    async request(call, ...[input, options]) {
      const response = await send(call, input ?? {}, options ?? {})
      if (call.answer === 'empty') return undefined as AnswerOf<typeof call>
      const at = { status: response.status, url: response.url }
      const body = parseJson(await textOf(response), at)
      return readAnswer(call, body, at) as AnswerOf<typeof call>
    },
    requestRaw: (call, ...[input, options]) => send(call, input ?? {}, options ?? {}),
    async postForm(path, form, options = {}) {
      if (!(form instanceof FormData)) throw new Error(notFormText)
      return sendTo('POST', path, { body: form }, options)
    },
  }
}

async function textOf(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (cause) {
    throw new ApiError(networkFailureText, { status: response.status, url: response.url }, { cause })
  }
}

function readAnswer(call: Call, body: unknown, at: { status: number; url: string }): unknown {
  const first = call.out.safeParse(body)
  if (first.success) return first.data
  const { data, error } = call.out.safeParse(withoutNulls(body, first.error.issues))
  if (!error) return data
  const path = error.issues[0]?.path.join('.') || 'its top'
  throw new ApiError(`unexpected answer of ${call.id}, at ${path}`, at, { cause: error })
}

/** An answer that is no JSON carries the parser's own words. */
function parseJson(text: string, at: { status: number; url: string }): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError(cause instanceof Error ? cause.message : String(cause), at, { cause })
  }
}
