import { useQuery } from '@tanstack/react-query'
import { FileKey2, RefreshCw } from 'lucide-react'
import { license, list } from '@sallyport/wire/calls/downloads.ts'
import { requestRaw } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useAction } from '../../parts/use-action.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { DownloadCard } from './DownloadCard.tsx'
import { ownFirst } from './download-words.ts'
import styles from './Downloads.module.css'

/** What this proxy hands out, each with how to be sure of it. */
export function Downloads() {
  const { acl, cluster } = useUserContext()
  const query = useQuery(callQuery(list))
  const items = query.data && ownFirst(query.data, navigator.userAgent)
  const refetch = () => void query.refetch()
  return (
    <>
      <PageHead title="Downloads" count={items && items.length > 0 ? items.length : undefined}>
        <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching} onClick={refetch} />
      </PageHead>
      {query.error && <ListError error={query.error} things="downloads" rule="download: list" onRetry={refetch} />}
      <div className={styles['columns']}>
        {query.isPending && <Spinner delay="short" label="Asking what there is" showLabel />}
        {items?.length === 0 && (
          <EmptyState title="Nothing to download">This proxy was installed without the files that it could hand out.</EmptyState>
        )}
        {items?.map((item) => (
          <DownloadCard key={item.url} item={item} serverVersion={cluster.proxyVersion || cluster.authVersion} />
        ))}
        {acl.license.read && <License />}
      </div>
    </>
  )
}

function License() {
  const save = useAction(async () => {
    const answer = await requestRaw(license)
    saveFile('license.pem', 'application/octet-stream', await answer.blob())
  })
  return (
    <Panel
      header={
        <>
          <h2 className={styles['title']}>
            <Icon of={FileKey2} /> Licence
          </h2>
          <span className="grow" />
          <Button busy={save.busy} onClick={() => save.start()}>
            Download licence
          </Button>
        </>
      }
    >
      <div className={styles['text']}>
        <p className="t2">The licence file of this cluster. Whoever has it can use it: keep it like a password.</p>
        {save.error && (
          <Alert kind="danger" title="The licence could not be downloaded.">
            {save.error.message}
          </Alert>
        )}
      </div>
    </Panel>
  )
}
