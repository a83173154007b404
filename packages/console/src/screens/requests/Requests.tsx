import { ListFilter, Plus } from 'lucide-react'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { usePlace } from '../../parts/place.tsx'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { formatSearch } from '../../parts/search-string.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { Select } from '../../ui/Select.tsx'
import { inspectorGrid } from '../../ui/SidePanel.tsx'
import { media, useMedia } from '../../ui/use-media.ts'
import { NotInPlan } from './NotInPlan.tsx'
import { askToRemove, RequestActionsContext } from './request-actions.ts'
import { requestColumns } from './request-columns.tsx'
import { RequestPanel } from './RequestPanel.tsx'
import { isIn, requestViews, textOf, useRequests } from './use-requests.ts'
import type { RequestRow, RequestView } from './use-requests.ts'

const requestsList = {
  title: 'Access requests',
  one: 'request',
  many: 'requests',
  rule: 'access_request: list, read',
  order: { fields: ['created', 'user', 'state', 'expires'], descending: true },
  hints: [
    ['j k', 'move'],
    ['↵', 'open'],
  ],
  keyOf: ({ request }: RequestRow): string => request.id,
  textOf,
} as const
const search = z.object({ ...wholeListShape(requestsList.order), show: z.optional(z.enum(requestViews)) })
const views: readonly { value: RequestView; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'review', label: 'Needs review' },
  { value: 'mine', label: 'Mine' },
  { value: 'approved', label: 'Approved' },
  { value: 'denied', label: 'Denied' },
]

/** Who asks for what, and what has become of it. */
export function Requests() {
  return config.isUsageBasedBilling ? <NotInPlan /> : <List />
}

function List() {
  const { acl } = useUserContext()
  const { requestId } = useRouteParams('requests')
  const place = usePlace()
  const [address, setAddress] = useSearchState(search)
  const { query, rows: all } = useRequests()
  const { show = 'all' } = address
  const rows = useMemo(() => (show === 'all' ? all : all?.filter((row) => isIn(show, row))), [all, show])
  const list = useWholeList(requestsList, { columns: requestColumns, rows, address, setAddress })
  const open = (row: RequestRow | undefined): void =>
    pushPath(routePath('requests', row ? { requestId: row.request.id } : {}) + formatSearch(place.search))
  const selected = all?.find(({ request }) => request.id === requestId)
  const mayAsk = featureRules.newAccessRequest(acl)
  const toReview = all?.filter(({ request }) => request.mayReview).length ?? 0
  const actions = {
    mayRemove: acl.accessRequests.remove,
    onOpen: open,
    onRemove: (row: RequestRow) => askToRemove(row, () => open(undefined)),
  }
  const ask = mayAsk && (
    <RouteLink className={buttonClass({ kind: 'primary' })} to={routePath('newRequest', {})}>
      <Icon of={Plus} />
      New request
    </RouteLink>
  )
  return (
    <RequestActionsContext value={actions}>
      <div className={inspectorGrid(selected !== undefined)}>
        <div>
          <WholeList
            list={list}
            texts={requestsList}
            query={query}
            actions={all?.length !== 0 && ask}
            tools={
              <Views
                value={show}
                toReview={toReview}
                onValue={(next) => setAddress({ show: next === 'all' ? undefined : next, page: undefined })}
              />
            }
            filter={
              show === 'all'
                ? undefined
                : {
                    clear: () => setAddress({ q: undefined, show: undefined, page: undefined }),
                    none: show === 'review' && list.q === '' && (
                      <EmptyState plain title="Nothing to review">
                        Requests that you may decide about stand here.
                      </EmptyState>
                    ),
                  }
            }
            above={
              requestId !== undefined &&
              all &&
              !selected && (
                <Alert
                  kind="warn"
                  title="This request is not there."
                  action={
                    <Button size={24} onClick={() => open(undefined)}>
                      Show all
                    </Button>
                  }
                >
                  It was deleted, or you may not see it.
                </Alert>
              )
            }
            look={(row) => (row === selected ? 'selected' : undefined)}
            nothing={{
              title: 'No requests yet',
              text: mayAsk ? 'Ask for access when you need it. It ends by itself.' : 'Requests that you may decide about stand here.',
              actions: ask,
            }}
          />
        </div>
        {selected && <RequestPanel key={selected.request.id} row={selected} onClose={() => open(undefined)} />}
      </div>
    </RequestActionsContext>
  )
}

/** Side by side where there is room for it. */
function Views({ value, toReview, onValue }: { value: RequestView; toReview: number; onValue: (view: RequestView) => void }) {
  const phone = useMedia(media.phone)
  const shown = views.map((view) => (view.value === 'review' && toReview > 0 ? { ...view, label: `${view.label} (${toReview})` } : view))
  if (phone) return <Select bar icon={ListFilter} label="Which requests" value={value} options={shown} onValue={onValue} />
  return <Segmented label="Which requests" segments={shown} value={value} onValue={onValue} />
}
