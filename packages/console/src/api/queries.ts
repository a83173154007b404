/** Server state: one cache, keys derived from the calls themselves. */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { Call } from '@sallyport/wire/call.ts'
import type { CallArguments, CallInput } from './client.ts'
import { request } from './page.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    // Errors are shown with a Retry of the viewer's own; a hidden second try would only delay them.
    queries: { retry: false, refetchOnWindowFocus: false },
    mutations: { retry: false },
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
