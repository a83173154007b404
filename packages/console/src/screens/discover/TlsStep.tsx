import { useState } from 'react'
import { updateDatabase } from '@sallyport/wire/calls/databases.ts'
import { request } from '../../api/page.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { pem as whyNotPem } from '../../parts/validators/enrolment.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { boxClass, describedBy, Field } from '../../ui/Field.tsx'
import { signCommand } from './command.ts'
import { CommandPart } from './CommandPart.tsx'
import { engineOf } from './engines.ts'
import { Gone } from './Gone.tsx'
import { StepButtons } from './StepButtons.tsx'
import type { Progress } from './use-address.ts'
import { useEnrolled, useJoinToken } from './use-join.ts'
import styles from './Discover.module.css'

/** How server and cluster come to know each other by certificates. */
export function TlsStep({ database, progress }: { database: string; progress: Progress }) {
  const clusterId = useClusterId()
  const { acl } = useUserContext()
  const { data: enrolled, error, refetch } = useEnrolled(clusterId, 'database', database)
  const token = useJoinToken({ role: 'Db', purpose: 'certificate' })
  if (enrolled === null) return <Gone kind="database" progress={progress} />
  const engine = engineOf(progress.tile ?? { id: '' })
  return (
    <div className={styles['column']}>
      <FocusedHeading>Let the server trust the cluster</FocusedHeading>
      <p className={styles['lead']}>
        People come with a certificate of a minute instead of a password, and the server proves itself with one for{' '}
        <span className="mono">{enrolled?.where ?? 'its host'}</span>. Run this in the data folder of {engine.title}, as its owner; it
        fetches key, certificate and authority. The command works once.
      </p>
      {error && <LoadError title="The database could not be read." error={error} onRetry={() => void refetch()} />}
      <CommandPart
        token={token}
        missing="Reading the database…"
        commandOf={(given) => enrolled && signCommand({ ...given, cluster: clusterId, host: enrolled.where })}
      />
      {engine.settings.map(({ file, text, why }) => (
        <section key={file} className={styles['snippet']} aria-label={file}>
          <h2 className="mono">{file}</h2>
          <p className="muted sm">{why}</p>
          <CodeBlock text={text} copyLabel={`Copy lines for ${file}`} />
        </section>
      ))}
      <section className={styles['snippet']} aria-label="Reload">
        <h2>Then</h2>
        <CodeBlock text={engine.reload} copyLabel="Copy reload command" />
      </section>
      {acl.db.edit && <OwnCertificate database={database} />}
      <StepButtons next="Next: set up access" onNext={() => progress.next()} onBack={() => progress.go('register')} />
    </div>
  )
}

const id = 'server-authority'

/** For a server that has a certificate of somebody else and keeps it. */
function OwnCertificate({ database }: { database: string }) {
  const clusterId = useClusterId()
  const [pem, setPem] = useState('')
  const [problem, setProblem] = useState<string>()
  const [saved, setSaved] = useState(false)
  const save = useAction(async () => {
    await request(updateDatabase, { params: { clusterId, database }, body: { caCert: pem.trim() } })
    setSaved(true)
  })
  const submit = (): void => {
    const why = whyNotPem(pem)
    setProblem(why)
    if (why === undefined) save.start()
  }
  const texts = { label: 'Who signed it', help: 'The certificate of its authority, in PEM.', error: problem ?? save.error?.message }
  return (
    <details className={styles['part']}>
      <summary>The server keeps a certificate of its own</summary>
      <p className="muted sm">
        Then it needs <span className="mono">server.cas</span> only, and the cluster has to know who signed it.
      </p>
      <Field id={id} {...texts}>
        <div className={boxClass({ multi: true, error: Boolean(texts.error) })}>
          <textarea
            id={id}
            className="mono"
            rows={5}
            spellCheck={false}
            value={pem}
            placeholder="-----BEGIN CERTIFICATE-----"
            aria-invalid={texts.error ? true : undefined}
            aria-describedby={describedBy(id, texts)}
            onChange={({ target }) => {
              setPem(target.value)
              setSaved(false)
              setProblem(undefined)
            }}
          />
        </div>
      </Field>
      <div className={styles['buttons']}>
        <Button busy={save.busy} onClick={submit}>
          Save certificate
        </Button>
        {saved && (
          <span className="muted sm" role="status">
            Saved
          </span>
        )}
      </div>
    </details>
  )
}
