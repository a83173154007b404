import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { telemetryStorageKey } from '@sallyport/wire/limits.ts'
import { bootQuery } from '../api/boot.ts'
import { queryClient } from '../api/queries.ts'
import { mustRequest } from '../parts/access/must-request.ts'
import { lazyScreen } from '../parts/lazy-screen.tsx'
import { PlaceProvider } from '../parts/place.tsx'
import { UserContextProvider } from '../parts/user-context.tsx'
import { UiRoot } from '../ui/UiRoot.tsx'
import { BootFailed } from './BootFailed.tsx'
import { IdleWarning } from './IdleWarning.tsx'
import { RouteFollower } from '../parts/RouteFollower.tsx'
import { Screens } from './Screens.tsx'
import { Waiting } from './Waiting.tsx'

const RequestFirst = lazyScreen(async () => (await import('../screens/requests/RequestFirst.tsx')).RequestFirst)

// In browsers alone whose viewer wants it; nothing waits for it.
if (localStorage.getItem(telemetryStorageKey) === 'true')
  void import('./telemetry.ts').then(
    ({ startTelemetry }) => startTelemetry(),
    () => undefined,
  )

/** Everything behind sign-in: who the viewer is comes first, then the screens. */
export function PrivateApp() {
  return (
    <UiRoot>
      <QueryClientProvider client={queryClient}>
        <Booted />
      </QueryClientProvider>
      <IdleWarning />
    </UiRoot>
  )
}

function Booted() {
  const boot = useQuery(bootQuery)
  if (boot.data) {
    return (
      <UserContextProvider value={boot.data.user}>
        {mustRequest(boot.data.user) ? (
          <Suspense fallback={<Waiting />}>
            <RequestFirst />
          </Suspense>
        ) : (
          <PlaceProvider>
            <Screens />
            <RouteFollower />
          </PlaceProvider>
        )}
      </UserContextProvider>
    )
  }
  if (boot.error) return <BootFailed error={boot.error} busy={boot.isFetching} retry={() => void boot.refetch()} />
  return <Waiting />
}
