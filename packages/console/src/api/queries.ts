/** Server state: one cache, keys derived from the calls themselves. */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { Call } from '@sallyport/wire/call.ts'
import type { CallArguments, CallInput } from './client.ts'
import { request } from './page.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    // Errors are shown with a Retry of the viewer's own; a hidden second try would only delay them. A browser that believes to
    // be offline may reach a proxy all the same, and a page that waits until it changes its mind would stay empty.
    queries: { networkMode: 'always', retry: false, refetchOnReconnect: true, refetchOnWindowFocus: false },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Query options of a call; the key is `[call.id, input]`, so `[call.id]` invalidates every use of the call. */
export function callQuery<C extends Call>(
  call: C,
  ...[input]: Record<never, never> extends CallInput<C> ? [CallInput<C>?] : [CallInput<C>]
) {
  return queryOptions({
    queryKey: [call.id, input ?? {}] as const,
    queryFn: ({ signal }) => request(call, ...([input, { signal }] as CallArguments<C>)),
  })
}
