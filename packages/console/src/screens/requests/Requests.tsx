import { ListFilter, Plus, RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { ListError } from '../../parts/list/ListError.tsx'
import { useDraft } from '../../parts/list/use-draft.ts'
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
import { IconButton } from '../../ui/IconButton.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { Select } from '../../ui/Select.tsx'
import { inspectorGrid } from '../../ui/SidePanel.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import { media, useMedia } from '../../ui/use-media.ts'
import { NotInPlan } from './NotInPlan.tsx'
import { askToRemove, RequestActionsContext } from './request-actions.ts'
import { requestColumns } from './request-columns.tsx'
import { RequestPanel } from './RequestPanel.tsx'
import { isIn, requestViews, textOf, useRequests } from './use-requests.ts'
import type { RequestRow, RequestView } from './use-requests.ts'

const pageSize = 20
const search = z.object({
  q: z.optional(z.string()),
  show: z.optional(z.enum(requestViews)),
  sort: z.optional(z.string().check(z.regex(/^(user|state|created|expires):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
})
const rowKey = ({ request }: RequestRow): string => request.id
const views: readonly { value: RequestView; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'review', label: 'Needs review' },
  { value: 'mine', label: 'Mine' },
  { value: 'approved', label: 'Approved' },
  { value: 'denied', label: 'Denied' },
]
const hints = [
  ['j k', 'move'],
  ['↵', 'open'],
] as const

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
  const { q = '', show = 'all' } = address
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    return all?.filter((row) => isIn(show, row) && words.every((word) => textOf(row).includes(word)))
  }, [all, q, show])
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const [id = 'created', direction = 'desc'] = address.sort?.split(':') ?? []
  const list = useListTable({
    columns: requestColumns,
    rows,
    rowKey,
    sort: { id, desc: direction === 'desc' },
    page: { index: page, size: pageSize },
  })
  const open = (row: RequestRow | undefined): void =>
    pushPath(routePath('requests', row ? { requestId: row.request.id } : {}) + formatSearch(place.search))
  const selected = all?.find(({ request }) => request.id === requestId)
  const refetch = () => void query.refetch()
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
          <PageHead title="Access requests" count={q === '' && show === 'all' && count > 0 ? count : undefined}>
            {all?.length !== 0 && ask}
          </PageHead>
          <Toolbar>
            <SearchField label="Search requests" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
            <Views
              value={show}
              toReview={toReview}
              onValue={(next) => setAddress({ show: next === 'all' ? undefined : next, page: undefined })}
            />
            <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching} onClick={refetch} />
          </Toolbar>
          {query.error && <ListError error={query.error} things="access requests" rule="access_request: list, read" onRetry={refetch} />}
          {requestId !== undefined && all && !selected && (
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
          )}
          {(rows || !query.error) && (
            <Table
              list={list}
              label="Access requests"
              look={(row) => (row === selected ? 'selected' : undefined)}
              onSort={(sort) => setAddress({ sort: `${sort.id}:${sort.desc ? 'desc' : 'asc'}`, page: undefined })}
              empty={
                q !== '' || (show !== 'all' && show !== 'review') ? (
                  <EmptyState
                    plain
                    title="Nothing matches"
                    actions={<Button onClick={() => setAddress({ q: undefined, show: undefined, page: undefined })}>Clear filters</Button>}
                  >
                    No request is like that.
                  </EmptyState>
                ) : show === 'review' ? (
                  <EmptyState plain title="Nothing to review">
                    Requests that you may decide about stand here.
                  </EmptyState>
                ) : (
                  <EmptyState title="No requests yet" actions={ask}>
                    Ask for access when you need it. It ends by itself.
                  </EmptyState>
                )
              }
            />
          )}
          {count > 0 && (
            <NumberedPager
              text={pageText(page, pageSize, count)}
              page={page}
              pageCount={list.pageCount}
              hints={hints}
              onPage={(next) => setAddress({ page: next === 0 ? undefined : String(next + 1) })}
            />
          )}
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
