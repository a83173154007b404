import { ArrowLeft, ListFilter } from 'lucide-react'
import { useState } from 'react'
import type { ComponentType } from 'react'
import * as z from 'zod/mini'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { ChoiceBar } from '../../parts/choose/ChoiceBar.tsx'
import { ChoicesContext, isSame } from '../../parts/choose/choices.ts'
import type { Choice } from '../../parts/choose/choices.ts'
import { useDraft } from '../../parts/list/use-draft.ts'
import { pushPath } from '../../parts/navigation.ts'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { useBlock } from '../../parts/use-block.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Checkout } from './Checkout.tsx'
import { NotInPlan } from './NotInPlan.tsx'
import { isRole, wordOf } from './request-kinds.ts'
import { AppList, ClusterList, DatabaseList, DesktopList, RoleList, ServerList } from './request-lists.tsx'
import type { RequestListProps } from './request-lists.tsx'

const kinds = ['role', 'node', 'app', 'db', 'kube_cluster', 'windows_desktop'] as const
type Kind = (typeof kinds)[number]
const lists: Record<Kind, { label: string; List: ComponentType<RequestListProps> }> = {
  role: { label: 'Roles', List: RoleList },
  node: { label: 'Servers', List: ServerList },
  app: { label: 'Applications', List: AppList },
  db: { label: 'Databases', List: DatabaseList },
  kube_cluster: { label: 'Kubernetes clusters', List: ClusterList },
  windows_desktop: { label: 'Desktops', List: DesktopList },
}
const search = z.object({ kind: z.optional(z.enum(kinds)), target: z.optional(z.string()), name: z.optional(z.string()) })

/** Choosing what to ask for, and asking. */
export function NewRequest() {
  return config.isUsageBasedBilling ? <NotInPlan /> : <Choose />
}

function Choose() {
  const { acl, accessCapabilities } = useUserContext()
  const [address, setAddress] = useSearchState(search)
  const { target } = address
  const kind = address.kind ?? (accessCapabilities.requestableRoles.length > 0 ? 'role' : 'node')
  const [choices, setChoices] = useState<readonly Choice[]>(() => (target ? [{ kind, value: target, name: address.name ?? target }] : []))
  const [text, setText] = useState('')
  // Each search of resources is told in the audit log: not every letter is one.
  const draft = useDraft(text, setText, 300)
  const [isSending, setSending] = useState(target !== undefined)
  const [isSent, setSent] = useState(false)
  useBlock(choices.length > 0, choices.length === 1 ? 'What you have chosen' : `The ${choices.length} things that you have chosen`)
  const remove = (choice: Choice): void => setChoices((now) => now.filter((one) => !isSame(one, choice)))
  const context = {
    isChosen: (choice: Choice) => choices.some((one) => isSame(one, choice)),
    onToggle(choice: Choice) {
      if (choices.some((one) => isSame(one, choice))) return remove(choice)
      if (choices.every((one) => isRole(one) === isRole(choice))) return setChoices([...choices, choice])
      confirm({
        title: 'Start over with this one?',
        body: 'Roles and resources cannot be asked for together. What you have chosen so far is taken out.',
        action: 'Start over',
        run: () => setChoices([choice]),
      })
    },
  }
  const back = routePath('requests', {})
  if (isSent)
    return (
      <>
        <PageHead title="New request" />
        <EmptyState
          title="Request sent"
          actions={
            <>
              {featureRules.accessRequests(acl) && (
                <Button kind="primary" onClick={() => pushPath(back)}>
                  View requests
                </Button>
              )}
              <Button onClick={() => setSent(false)}>New request</Button>
            </>
          }
        >
          Once it is approved you can assume the access from the list of requests.
        </EmptyState>
      </>
    )
  const { List } = lists[kind]
  return (
    <ChoicesContext value={context}>
      <PageHead title="New request">
        {featureRules.accessRequests(acl) && (
          <RouteLink className={buttonClass({})} to={back}>
            <Icon of={ArrowLeft} />
            All requests
          </RouteLink>
        )}
      </PageHead>
      <Toolbar>
        <Select
          bar
          icon={ListFilter}
          label="What to ask for"
          value={kind}
          options={kinds.map((value) => ({ value, label: lists[value].label }))}
          onValue={(next) => {
            setText('')
            setAddress({ kind: next, target: undefined, name: undefined })
          }}
        />
        <SearchField label={`Search ${lists[kind].label}`} value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
      </Toolbar>
      <List key={kind} search={text} />
      <ChoiceBar
        label="Selected"
        choices={choices}
        wordOf={wordOf}
        action="Review request"
        onClear={() => setChoices([])}
        onNext={() => setSending(true)}
      />
      {isSending && (
        <Checkout
          choices={choices}
          onRemove={remove}
          onSent={() => {
            setChoices([])
            setSending(false)
            setSent(true)
          }}
          onClose={() => setSending(false)}
        />
      )}
    </ChoicesContext>
  )
}
