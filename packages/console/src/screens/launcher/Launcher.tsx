import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { appMfaText } from '@sallyport/wire/app-access.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { Leave } from '../../parts/Leave.tsx'
import { useTitle } from '../../parts/page-title.ts'
import { usePlace } from '../../parts/place.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { confirmLaunch, prepareLaunch } from './launch.ts'
import type { Link } from './launch.ts'

const textOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** Opens an application: the viewer comes here twice, and leaves for the application's own host each time. */
export function Launcher() {
  const params = useRouteParams('launch')
  const { search } = usePlace()
  const { cluster } = useUserContext()
  useTitle('Open application')
  const link: Link = { ...params, path: textOf(search['path']) ?? '/', state: textOf(search['state']) }
  // A session is made once, and nothing of it is kept here.
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['launch', link],
    queryFn: () => prepareLaunch(link),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnReconnect: false,
  })
  if (data !== undefined) return <Opening link={link} to={data} />
  if (!error) return <Opening link={link} />
  if (error.message === appMfaText) return <Confirm link={link} />
  return (
    <Card
      title="Access Denied"
      actions={
        <>
          <Button kind="primary" busy={isFetching} onClick={() => void refetch()}>
            Retry
          </Button>
          <a className={buttonClass({ kind: 'quiet' })} href={routePath('apps', { clusterId: link.clusterId ?? cluster.clusterId })}>
            Back to applications
          </a>
        </>
      }
    >
      <p className="t2">{link.fqdn} could not be opened.</p>
      <p className="mono sm t2" role="alert">
        {error.message}
      </p>
    </Card>
  )
}

function Opening({ link, to }: { link: Link; to?: string }) {
  return (
    <Card title={`Opening ${link.fqdn}`}>
      <Spinner label="Asking the proxy for a session" showLabel delay="short" />
      {to !== undefined && <Leave to={to} />}
    </Card>
  )
}

function Confirm({ link }: { link: Link }) {
  const [to, setTo] = useState<string>()
  const { busy, error, start } = useAction(async () => setTo(await confirmLaunch(link)))
  if (to !== undefined) return <Opening link={link} to={to} />
  return (
    <Card
      title={`Confirm opening ${link.fqdn}`}
      actions={
        <Button kind="primary" busy={busy} onClick={() => start()}>
          Use your key
        </Button>
      }
    >
      <p className="t2">Each session on this application has to be confirmed with your passkey or security key.</p>
      {error && (
        <p className="t2" role="alert">
          {error.message}
        </p>
      )}
    </Card>
  )
}
