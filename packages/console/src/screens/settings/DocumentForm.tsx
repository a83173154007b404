import { useId } from 'react'
import type { ReactNode } from 'react'
import type * as calls from '@sallyport/wire/calls/cluster-config.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useBlock } from '../../parts/use-block.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Panel } from '../../ui/Card.tsx'
import { confirm } from '../../ui/confirm.ts'
import { cx } from '../../ui/cx.ts'
import type { SettingField } from './setting-fields.ts'
import { SettingControl } from './SettingControl.tsx'
import styles from './Settings.module.css'
import { useDocument } from './use-document.ts'

export interface DocumentFormProps {
  title: string
  read: typeof calls.readNetworking
  write: typeof calls.writeNetworking
  fields: readonly SettingField[]
  /** Under the fields. */
  note?: ReactNode
}

const conflict = 412

/** One document of settings. What the viewer may not read is not shown, what they may not change is shown as it is. */
export function DocumentForm({ title, read, write, fields, note }: DocumentFormProps) {
  const headId = useId()
  const edited = useDocument(read, write)
  const { document, error, isDirty } = edited
  const saving = useAction(async () => {
    const warnings = await edited.save(false)
    if (warnings.length === 0) return
    confirm({
      title: `Save ${title.toLowerCase()} settings?`,
      body: (
        <ul className={styles['warnings']}>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      ),
      action: 'Save anyway',
      danger: true,
      run: async () => void (await edited.save(true)),
    })
  })
  useBlock(isDirty, `Unsaved ${title.toLowerCase()} settings`)
  if (error instanceof ApiError && error.status === 403) return null
  // Of a proxy that is not ours.
  const isAbsent = error instanceof ApiError && error.status === 404
  const isConflict = saving.error instanceof ApiError && saving.error.status === conflict
  const reload = (): void => {
    saving.clear()
    edited.reload()
  }
  return (
    <form
      aria-labelledby={headId}
      onSubmit={(event) => {
        event.preventDefault()
        saving.start()
      }}
    >
      <Panel
        header={
          <h2 id={headId} className={styles['title']}>
            {title}
          </h2>
        }
      >
        {isAbsent && (
          <p className={`muted ${styles['lacking']}`}>This proxy does not tell these settings. They stand in its configuration.</p>
        )}
        {error && !isAbsent && (
          <div className={cx(styles['part'], styles['failed'])}>
            <LoadError title="Could not read these settings." error={error} onRetry={reload} />
          </div>
        )}
        {!error && (
          // Its fields are known before their values are: they stand where they will stay.
          <div className={cx(styles['fields'], !document && styles['unknown'])} {...(!document && { inert: true, 'aria-busy': true })}>
            {fields.map((field) => (
              <SettingControl
                key={field.name}
                field={field}
                value={edited.value(field.name)}
                source={document && edited.source(field.name)}
                origin={document?.origins[field.name]}
                readOnly={!document?.canEdit}
                onValue={(value) => edited.set(field.name, value)}
                onDefault={() => edited.set(field.name, undefined)}
              />
            ))}
          </div>
        )}
        {note && <p className={`muted sm ${styles['note']}`}>{note}</p>}
        {saving.error && (
          <div className={styles['part']}>
            <Alert
              kind="danger"
              title={isConflict ? 'Somebody else changed these settings meanwhile.' : 'Not saved.'}
              action={isConflict ? <Button onClick={reload}>Load theirs</Button> : undefined}
            >
              {isConflict ? 'Load what they saved, then repeat your change.' : saving.error.message}
            </Alert>
          </div>
        )}
        {document?.canEdit && (
          <div className={styles['actions']}>
            <Button type="submit" kind="primary" busy={saving.busy} disabled={!isDirty}>
              Save
            </Button>
            <Button
              disabled={!isDirty || saving.busy}
              onClick={() => {
                saving.clear()
                edited.discard()
              }}
            >
              Discard
            </Button>
          </div>
        )}
      </Panel>
    </form>
  )
}
