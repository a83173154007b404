import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { desktop as desktopCall, desktopActive } from '@sallyport/wire/calls/desktops.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { session } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { useTitle } from '../../parts/page-title.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { DesktopView } from './DesktopView.tsx'
import styles from './desktop.module.css'

const token = (): string => (session.isLeaving() ? '' : (session.bearer() ?? ''))

/** A desktop as one of its users, on a page of its own. */
export function DesktopSession() {
  const { clusterId, desktopName, username } = useRouteParams('desktop')
  const { acl } = useUserContext()
  const title = `${username} on ${desktopName}`
  useTitle(`${clusterId} • ${username}@${desktopName}`)
  const params = { clusterId, desktopName }
  // Asked once: a desktop that is in use while we are in it is in use by us.
  const once = { staleTime: Infinity, refetchOnMount: false, throwOnError: false, retry: false } as const
  const found = useQuery({ ...callQuery(desktopCall, { params }), ...once })
  const active = useQuery({ ...callQuery(desktopActive, { params }), ...once })
  const [isSure, setSure] = useState(false)
  const home = routePath('desktops', { clusterId })
  // The browser closes tabs that were opened for the desktop only.
  const leave = (): void => {
    window.close()
    pushPath(home)
  }
  const error = found.error ?? active.error
  if (error)
    return (
      <Message title={title} home={home}>
        <LoadError
          title="The desktop could not be opened."
          error={error}
          onRetry={() => {
            void found.refetch()
            void active.refetch()
          }}
        />
      </Message>
    )
  if (!found.data || !active.data)
    return (
      <Message title={title} home={home}>
        <Spinner size={24} delay="long" label="Looking for the desktop" showLabel />
      </Message>
    )
  if (active.data.active && !isSure)
    return (
      <Message title={title} home={home}>
        <Dialog
          open
          alert
          title="Someone is connected"
          width={400}
          onClose={leave}
          footer={
            <>
              <Button kind="primary" onClick={() => setSure(true)}>
                Connect
              </Button>
              <Button onClick={leave}>Cancel</Button>
            </>
          }
        >
          <p className="t2">Connecting to {desktopName} may end their session.</p>
        </Dialog>
      </Message>
    )
  return (
    <DesktopView
      target={{ clusterId, desktopName, username }}
      title={title}
      homePath={home}
      token={token}
      sharesClipboard={acl.clipboardSharingEnabled}
      sharesDirectories={acl.directorySharing}
      isRecorded={acl.desktopSessionRecording}
    />
  )
}

function Message({ title, home, children }: { title: string; home: string; children: ReactNode }) {
  return (
    <div className={styles['app']}>
      <header className={styles['bar']}>
        <a className={styles['home']} href={home} aria-label="Main page" title="Main page">
          <Logo size={20} />
        </a>
        <h1 className="trunc" tabIndex={-1}>
          {title}
        </h1>
      </header>
      <main className={styles['middle']}>
        <div className={styles['over']}>{children}</div>
      </main>
    </div>
  )
}
