import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { effect as effectCall } from '@sallyport/wire/calls/locks.ts'
import type { LockEffect } from '@sallyport/wire/entities/lock.ts'
import { callQuery } from '../../api/queries.ts'
import { ChoiceList } from '../../parts/choose/ChoiceBar.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { kindWords, toTargets, wordOf } from './lock-kinds.ts'
import type { LockChoice } from './lock-kinds.ts'
import { LockFields, useLockFields } from './LockFields.tsx'
import { placeLocks } from './place-locks.ts'
import { refreshLocks } from './use-locks.ts'
import styles from './Locks.module.css'

export interface LockPanelProps {
  choices: readonly LockChoice[]
  onRemove: (choice: LockChoice) => void
  onDone: (done: readonly LockChoice[]) => void
  onClose: () => void
}

/** The last step: why, for how long, and what will happen. */
export function LockPanel({ choices, onRemove, onDone, onClose }: LockPanelProps) {
  const { username } = useUserContext()
  const clusterId = useClusterId()
  const fields = useLockFields()
  const [failure, setFailure] = useState<string>()
  const effect = useQuery({
    ...callQuery(effectCall, { params: { clusterId }, body: { targets: choices.map(toTargets) } }),
    enabled: choices.length > 0,
  })
  const place = useAction(async (ttl: string) => {
    const { done, failed } = await placeLocks(choices, { clusterId, username, message: fields.values.message.trim(), ttl })
    const [first] = failed
    setFailure(first && `${kindWords[first.choice.kind]} ${first.choice.name}: ${first.error}`)
    onDone(done)
    if (failed.length === 0) onClose()
    await refreshLocks()
  })
  const isOwn = effect.data?.self ?? choices.some(({ kind, value }) => kind === 'user' && value === username)
  const submit = (): void => {
    const ttl = fields.ttl()
    if (ttl === undefined) return
    if (!isOwn && !effect.data?.lastAdministrator) return place.start(ttl)
    confirm({
      title: effect.data?.lastAdministrator ? 'Lock the last administrator?' : 'Lock yourself?',
      body: effect.data?.lastAdministrator
        ? 'Nobody is left who can administer users and roles. Only the command line on the machine of the proxy can lift this lock.'
        : 'You are signed out at once and cannot lift the lock yourself.',
      action: 'Lock targets',
      danger: true,
      typeToConfirm: { label: `Type ${username} to confirm`, text: username },
      run: () => place.start(ttl),
    })
  }
  return (
    <SidePanel
      open
      title={choices.length === 1 ? 'Lock 1 target' : `Lock ${choices.length} targets`}
      onClose={onClose}
      footer={
        <>
          <Button
            kind="danger"
            busy={place.busy}
            disabled={choices.length === 0 || (effect.isPending && choices.length > 0)}
            onClick={submit}
          >
            Lock targets
          </Button>
          <Button disabled={place.busy} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <div className={styles['form']}>
        {failure && (
          <Alert kind="danger" title="Not everything is locked.">
            {failure}
          </Alert>
        )}
        {effect.data && <Effect effect={effect.data} />}
        <ChoiceList label="Targets" choices={choices} wordOf={wordOf} onRemove={onRemove} />
        <LockFields fields={fields} />
      </div>
    </SidePanel>
  )
}

const figure = (count: number, one: string): string => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`

function Effect({ effect: { self, lastAdministrator, users, signIns, terminals } }: { effect: LockEffect }) {
  const ends = [signIns > 0 && figure(signIns, 'sign-in'), terminals > 0 && figure(terminals, 'terminal')].filter(Boolean).join(' and ')
  const people = users === 0 ? 'No user is kept out by name or role.' : `${figure(users, 'user')} ${users === 1 ? 'is' : 'are'} kept out.`
  return (
    <>
      {lastAdministrator ? (
        <Alert kind="danger" title="This locks the last administrator.">
          Nobody will be left who can administer users and roles.
        </Alert>
      ) : (
        self && (
          <Alert kind="warn" title="This locks you as well.">
            You are signed out at once and cannot lift the lock yourself.
          </Alert>
        )
      )}
      <p className="t2">
        {people} {ends === '' ? 'Nothing that runs now ends.' : `${ends} will end at once.`}
      </p>
    </>
  )
}
