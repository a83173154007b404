import { Download as DownloadIcon } from 'lucide-react'
import { file } from '@sallyport/wire/calls/downloads.ts'
import type { Download } from '@sallyport/wire/calls/downloads.ts'
import { requestRaw } from '../../api/page.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useAction } from '../../parts/use-action.ts'
import { Fact, FactList } from '../../ui/FactList.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Card.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { editionOf, fileNameOf, platformWords, purposeOf, sizeWords, titleOf, verifyCommand } from './download-words.ts'
import styles from './Downloads.module.css'

/** One file: what it is for, what it is exactly, and how to check that it arrived whole. */
export function DownloadCard({ item, serverVersion }: { item: Download; serverVersion: string }) {
  const purpose = purposeOf(item)
  const save = useAction(async () => {
    const name = fileNameOf(item)
    const answer = await requestRaw(file, { params: { file: name } })
    saveFile(name, 'application/octet-stream', await answer.blob())
  })
  return (
    <Panel
      header={
        <>
          <h2 className={styles['title']}>{titleOf(item)}</h2>
          <Badge tone="outline">{platformWords(item)}</Badge>
          <span className="grow" />
          <GetFile item={item} busy={save.busy} save={() => save.start()} />
        </>
      }
    >
      <div className={styles['text']}>
        {save.error && (
          <Alert kind="danger" title="The file could not be downloaded.">
            {save.error.message}
          </Alert>
        )}
        {purpose !== undefined && <p className="t2">{purpose}</p>}
        <FactList names={120} ruled>
          <Fact name="Version">
            <span className="mono">{item.version}</span>{' '}
            {item.version === serverVersion ? (
              <Badge tone="ok">Same as this cluster</Badge>
            ) : (
              <Badge tone="warn">This cluster is {serverVersion}</Badge>
            )}
          </Fact>
          <Fact name="Edition">{editionOf(item)}</Fact>
          <Fact name="Size">{sizeWords(item.size)}</Fact>
          {item.sha256 !== '' && (
            <Fact name="SHA-256" className={styles['hash']}>
              <span className="mono">{item.sha256}</span>
              <CopyButton text={item.sha256} label={`Copy the checksum of ${fileNameOf(item)}`} />
            </Fact>
          )}
        </FactList>
        {item.sha256 !== '' && (
          <div>
            <h3 className={styles['small']}>Check the file</h3>
            <CodeBlock text={verifyCommand(item)} copyLabel={`Copy the command that checks ${fileNameOf(item)}`} />
          </div>
        )}
      </div>
    </Panel>
  )
}

interface GetFileProps {
  item: Download
  busy: boolean
  save: () => void
}

/** Files of this proxy are fetched with the viewer's session, those of others by the browser. */
function GetFile({ item, busy, save }: GetFileProps) {
  const name = fileNameOf(item)
  const address = URL.parse(item.url, window.location.origin)
  if (address?.origin === window.location.origin)
    return (
      <Button kind="primary" icon={DownloadIcon} busy={busy} aria-label={`Download ${name}`} onClick={save}>
        Download
      </Button>
    )
  if (address?.protocol !== 'https:') return null
  return (
    <a className={buttonClass({ kind: 'primary' })} href={item.url} rel="noreferrer">
      <Icon of={DownloadIcon} />
      Download<span className="sr"> {name}</span>
    </a>
  )
}
