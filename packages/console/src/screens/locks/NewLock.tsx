import { ArrowLeft, ListFilter } from 'lucide-react'
import { useState } from 'react'
import type { ComponentType } from 'react'
import * as z from 'zod/mini'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import type { UserAcl } from '@sallyport/wire/acl.ts'
import { ChoiceBar } from '../../parts/choose/ChoiceBar.tsx'
import { ChoicesContext, isSame } from '../../parts/choose/choices.ts'
import { pushPath } from '../../parts/navigation.ts'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { useBlock } from '../../parts/use-block.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { toTargets, wordOf } from './lock-kinds.ts'
import type { LockChoice } from './lock-kinds.ts'
import { LockPanel } from './LockPanel.tsx'
import { DesktopTargets, DeviceTargets, LoginTargets, RequestTargets, RoleTargets, ServerTargets, UserTargets } from './target-lists.tsx'
import type { TargetListProps } from './target-lists.tsx'
import { TrustedDeviceTargets } from './TrustedDeviceTargets.tsx'
import { useNames } from './use-locks.ts'

const kinds = ['user', 'role', 'mfa_device', 'login', 'node', 'windows_desktop', 'access_request', 'device'] as const
type Kind = (typeof kinds)[number]

const lists: Record<Kind, { label: string; List: ComponentType<TargetListProps>; may: (acl: UserAcl) => boolean }> = {
  user: { label: 'Users', List: UserTargets, may: (acl) => acl.users.list && acl.users.read },
  role: { label: 'Roles', List: RoleTargets, may: (acl) => acl.roles.list && acl.roles.read },
  mfa_device: { label: 'MFA devices', List: DeviceTargets, may: (acl) => acl.users.list && acl.users.read },
  login: { label: 'Logins', List: LoginTargets, may: () => true },
  node: { label: 'Servers', List: ServerTargets, may: (acl) => featureRules.nodes(acl) },
  windows_desktop: { label: 'Desktops', List: DesktopTargets, may: (acl) => featureRules.desktops(acl) },
  access_request: { label: 'Access requests', List: RequestTargets, may: (acl) => acl.accessRequests.list && acl.accessRequests.read },
  device: { label: 'Trusted devices', List: TrustedDeviceTargets, may: (acl) => featureRules.deviceTrust(acl) },
}
const search = z.object({ kind: z.optional(z.enum(kinds)), target: z.optional(z.string()) })

/** Choosing what to lock, of any kinds, and locking it. */
export function NewLock() {
  const { acl } = useUserContext()
  const [address, setAddress] = useSearchState(search)
  const allowed = kinds.filter((kind) => lists[kind].may(acl))
  const kind = address.kind !== undefined && allowed.includes(address.kind) ? address.kind : (allowed[0] ?? 'login')
  const [chosen, setChoices] = useState<readonly LockChoice[]>(() =>
    address.kind && address.target ? [{ kind: address.kind, value: address.target, name: address.target }] : [],
  )
  // What came with the address is an id.
  const nameOf = useNames(chosen.filter(({ name, value }) => name === value).map((choice) => ({ targets: toTargets(choice) })))
  const choices = chosen.map((choice) => ({ ...choice, name: nameOf(choice.kind, choice.value) ?? choice.name }))
  const [text, setText] = useState('')
  const [isLocking, setLocking] = useState(false)
  const [locked, setLocked] = useState(0)
  useBlock(
    choices.length > 0,
    choices.length === 1 ? 'The target that you have added' : `The ${choices.length} targets that you have added`,
  )

  const remove = (choice: LockChoice): void => setChoices((now) => now.filter((one) => !isSame(one, choice)))
  const context = {
    isChosen: (choice: LockChoice) => choices.some((one) => isSame(one, choice)),
    onToggle: (choice: LockChoice) =>
      setChoices((now) => (now.some((one) => isSame(one, choice)) ? now.filter((one) => !isSame(one, choice)) : [...now, choice])),
  }
  const { List } = lists[kind]
  const back = routePath('locks', {})
  if (locked > 0 && choices.length === 0)
    return (
      <>
        <PageHead title="New lock" />
        <EmptyState
          title={locked === 1 ? '1 target locked' : `${locked} targets locked`}
          actions={
            <>
              <Button kind="primary" onClick={() => pushPath(back)}>
                Back to locks
              </Button>
              <Button onClick={() => setLocked(0)}>Lock more</Button>
            </>
          }
        >
          What they had open has ended, and nothing new begins until the lock is removed or expires.
        </EmptyState>
      </>
    )
  return (
    <ChoicesContext value={context}>
      <PageHead title="New lock">
        <RouteLink className={buttonClass({})} to={back}>
          <Icon of={ArrowLeft} />
          All locks
        </RouteLink>
      </PageHead>
      <Toolbar>
        <Select
          bar
          icon={ListFilter}
          label="Kind of target"
          value={kind}
          options={allowed.map((value) => ({ value, label: lists[value].label }))}
          onValue={(next) => {
            setText('')
            setAddress({ kind: next, target: undefined })
          }}
        />
        {kind !== 'login' && <SearchField label={`Search ${lists[kind].label}`} value={text} onValue={setText} />}
      </Toolbar>
      {locked > 0 && (
        <Alert kind="ok">
          {locked === 1 ? '1 target is locked.' : `${locked} targets are locked.`} What is left could not be locked yet.
        </Alert>
      )}
      <List key={kind} search={text} />
      <ChoiceBar
        label="Targets added"
        choices={choices}
        wordOf={wordOf}
        action="Continue to lock"
        onClear={() => setChoices([])}
        onNext={() => setLocking(true)}
      />
      {isLocking && (
        <LockPanel
          choices={choices}
          onRemove={remove}
          onDone={(done) => {
            setLocked((now) => now + done.length)
            setChoices((now) => now.filter((one) => !done.some((other) => isSame(one, other))))
          }}
          onClose={() => setLocking(false)}
        />
      )}
    </ChoicesContext>
  )
}
