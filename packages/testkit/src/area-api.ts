/** Areas behind the real HTTP layer, for a person who counts as signed in: everything but sign-in itself is real. */
import type { Caller } from '@sallyport/proxy/core/caller.ts'
import { accessDenied } from '@sallyport/proxy/core/errors.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import type { Route } from '@sallyport/proxy/core/route.ts'
import { createRateLimiter } from '@sallyport/proxy/http/rate-limit.ts'
import { register } from '@sallyport/proxy/http/register.ts'
import { createServer } from '@sallyport/proxy/http/server.ts'

export interface Answer {
  status: number
  body: unknown
}

export interface AreaApi extends AsyncDisposable {
  /** Answers on a port of this machine from now on; the origin. */
  listen(): Promise<string>
  /** GET as this person; undefined is nobody. */
  get(caller: Caller | undefined, path: string): Promise<Answer>
  post(caller: Caller | undefined, path: string, body: object): Promise<Answer>
}

/** The header that tells the stand-in for sign-in who is calling. */
const whoHeader = 'x-test-caller'

export async function openAreaApi(routes: readonly Route[]): Promise<AreaApi> {
  const app = await createServer({ log: createLog('silent'), tls: undefined })
  const callers = new Map<string, Caller>()
  const refuse = (): Promise<never> => Promise.reject(accessDenied('need auth'))
  register(app, routes, {
    limiter: createRateLimiter({ now: () => Date.now() }),
    authenticator: {
      caller: ({ headers }) => {
        const caller = callers.get(String(headers[whoHeader]))
        return caller ? Promise.resolve(caller) : refuse()
      },
      session: refuse,
      complete: refuse,
    },
  })
  await app.ready()
  async function send(caller: Caller | undefined, method: 'GET' | 'POST', url: string, payload?: object): Promise<Answer> {
    if (caller) callers.set(caller.username, caller)
    const headers = caller ? { [whoHeader]: caller.username } : {}
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    get: (caller, path) => send(caller, 'GET', path),
    post: (caller, path, body) => send(caller, 'POST', path, body),
    [Symbol.asyncDispose]: () => app.close(),
  }
}
