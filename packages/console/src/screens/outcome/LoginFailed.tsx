import { routePath } from '@sallyport/wire/routes.ts'
import type { RouteName } from '@sallyport/wire/routes.ts'
import { usePublicRoute } from '../../parts/public-route.tsx'
import { Card } from '../../ui/Card.tsx'

const texts: Partial<Record<RouteName, string>> = {
  loginFailedCallback: "The identity provider's answer could not be used.",
  loginFailedAuth: 'You signed in, but no role here matches your account.',
}

/** Where a sign-in that left the page and came back without success ends. */
export function LoginFailed() {
  const { name } = usePublicRoute()
  // Shown as text only: the address may come from anywhere.
  const said = new URLSearchParams(window.location.search).get('message')?.slice(0, 300)
  return (
    <Card title="Login Unsuccessful">
      <p className="t2">{texts[name] ?? (said || 'The sign-in did not complete.')}</p>
      <p>
        <a href={routePath('login')}>Please attempt to log in again.</a>
      </p>
    </Card>
  )
}
