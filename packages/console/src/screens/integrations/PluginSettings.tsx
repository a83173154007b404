import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read, testStored, update } from '@sallyport/wire/calls/plugins.ts'
import type { PluginSettings as Settings } from '@sallyport/wire/entities/plugin.ts'
import { request } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { toasts } from '../../ui/toast.ts'
import { ConnectionFields } from './ConnectionFields.tsx'
import { connectionProblems, isGood, namedIn, settingsOf, textsOf, toldOf, toldProblems } from './plugin-draft.ts'
import type { Told } from './plugin-draft.ts'
import { toastOf } from './plugin-words.ts'
import { TestMessage } from './TestMessage.tsx'
import { ToldFields } from './ToldFields.tsx'
import { refreshIntegrations } from './use-integrations.ts'

/** What a plugin was given when it was enrolled, to change it. */
export function PluginSettings({ name, onClose }: { name: string; onClose: () => void }) {
  const { clusterId } = useUserContext().cluster
  const { data, error } = useQuery({ ...callQuery(read, { params: { clusterId, name } }), gcTime: 0 })
  if (data) return <SettingsForm name={name} stored={data.settings} onClose={onClose} />
  return (
    <Dialog open width={700} title={`Settings of ${name}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      {error ? (
        <Alert kind="danger" title="Could not load the settings.">
          {error.message}
        </Alert>
      ) : (
        <Spinner label="Loading settings" />
      )}
    </Dialog>
  )
}

function SettingsForm({ name, stored, onClose }: { name: string; stored: Settings; onClose: () => void }) {
  const { clusterId } = useUserContext().cluster
  const { kind } = stored
  const [told, setTold] = useState(() => toldOf(stored))
  const [checked, setChecked] = useState(false)
  const hasSecret = kind !== 'email' || stored.username !== ''
  const form = useForm(textsOf(stored), (texts) => connectionProblems(kind, texts, hasSecret))
  const problems = toldProblems(kind, told)
  const params = { clusterId, name }
  const changeTold = (next: Told): void => {
    setTold(next)
    setChecked(false)
  }
  const settings = () => settingsOf(kind, form.values, told, hasSecret)
  const save = useAction(async () => {
    const plugin = await request(update, { params, body: { settings: settings() } })
    queryClient.removeQueries({ queryKey: [read.id] })
    await refreshIntegrations()
    toasts.show(toastOf(`Plugin ${name} changed`, plugin))
    onClose()
  })
  return (
    <Dialog open bare width={700} busy={save.busy} title={`Settings of ${name}`} onClose={onClose}>
      <DialogForm
        onSubmit={form.submit(() => {
          setChecked(true)
          if (isGood(problems)) save.start()
        })}
        footer={
          <>
            <Button kind="primary" type="submit" busy={save.busy}>
              Save
            </Button>
            <Button disabled={save.busy} onClick={onClose}>
              Cancel
            </Button>
          </>
        }
      >
        {save.error && (
          <FocusedAlert key={save.error.message} kind="danger" title="Could not change the plugin.">
            {save.error.message}
          </FocusedAlert>
        )}
        <ConnectionFields kind={kind} form={form} disabled={save.busy} isStored={hasSecret} />
        <ToldFields kind={kind} told={told} problems={checked ? problems : undefined} disabled={save.busy} onTold={changeTold} />
        <TestMessage
          kind={kind}
          recipient={namedIn(told)[0]}
          send={async (recipient) => {
            const isReady = Object.values(connectionProblems(kind, form.values, hasSecret)).every((problem) => problem === undefined)
            setChecked(true)
            if (!isReady) throw new Error('Something above has to be put right first.')
            await request(testStored, { params, body: { settings: settings(), recipient } })
          }}
        />
      </DialogForm>
    </Dialog>
  )
}
