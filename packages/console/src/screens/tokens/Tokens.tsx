import { Plus, RefreshCw } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { remove } from '@sallyport/wire/calls/tokens.ts'
import { tokenNameHeader } from '@sallyport/wire/entities/join-token.ts'
import { request } from '../../api/page.ts'
import { JoinCommand } from '../../parts/JoinCommand.tsx'
import { ListError } from '../../parts/list/ListError.tsx'
import { useDraft } from '../../parts/list/use-draft.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { pageText } from '../../ui/page-numbers.ts'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { NumberedPager } from '../../ui/Pager.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Table } from '../../ui/Table.tsx'
import { toasts } from '../../ui/toast.ts'
import { useListTable } from '../../ui/use-list-table.ts'
import { NewToken } from './NewToken.tsx'
import { tokenColumns } from './token-columns.tsx'
import type { Edited } from './TokenEditor.tsx'
import { methodWords, roleWords } from './token-roles.ts'
import { refreshTokens, useTokens } from './use-tokens.ts'
import type { TokenRow } from './use-tokens.ts'

const TokenEditor = lazy(() => import('./TokenEditor.tsx').then((loaded) => ({ default: loaded.TokenEditor })))

const pageSize = 20
const search = z.object({
  q: z.optional(z.string()),
  sort: z.optional(z.string().check(z.regex(/^(name|method|expires):(asc|desc)$/))),
  page: z.optional(z.string().check(z.regex(/^[1-9]\d{0,4}$/))),
  new: z.optional(z.literal('yes')),
})
const rowKey = ({ token }: TokenRow): string => token.id
const hints = [
  ['j k', 'move'],
  ['↵', 'edit'],
  ['m', 'menu'],
] as const

/** What is searched; the name of a token is a secret, and no secret is typed to be found. */
const wordsOf = ({ token, name, labels }: TokenRow): string =>
  [name, methodWords[token.method], token.bot_name, ...token.roles.map(roleWords), ...labels.map((label) => `${label.name}=${label.value}`)]
    .join(' ')
    .toLowerCase()

function askToDelete({ token, name }: TokenRow): void {
  confirm({
    title: `Delete token ${name}?`,
    body: 'Nothing can join with it any more. What has joined stays.',
    action: 'Delete token',
    danger: true,
    run: async () => {
      await request(remove, undefined, { headers: { [tokenNameHeader]: token.id } })
      await refreshTokens()
      toasts.show({ title: `Token ${name} deleted` })
    },
  })
}

/** What lets agents into the cluster, until when. */
export function Tokens() {
  const { acl } = useUserContext()
  const may = acl.tokens
  const [address, setAddress] = useSearchState(search)
  const { query, rows: all } = useTokens()
  const [edited, setEdited] = useState<Edited>()
  const [shown, setShown] = useState<TokenRow>()
  const q = address.q ?? ''
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 200)
  const rows = useMemo(() => {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean)
    return all?.filter((row) => words.every((word) => wordsOf(row).includes(word)))
  }, [all, q])
  const columns = useMemo(() => tokenColumns({ may, open: (row) => setEdited({ row }), showCommand: setShown, remove: askToDelete }), [may])
  const count = rows?.length ?? 0
  const page = Math.min(Number(address.page ?? 1) - 1, Math.max(0, Math.ceil(count / pageSize) - 1))
  const [id = 'expires', direction = 'asc'] = address.sort?.split(':') ?? []
  const list = useListTable({ columns, rows, rowKey, sort: { id, desc: direction === 'desc' }, page: { index: page, size: pageSize } })
  const refetch = () => void query.refetch()
  const mayCreate = may.create && may.edit
  return (
    <>
      <PageHead title="Join tokens" count={q === '' && count > 0 ? count : undefined}>
        <Button
          kind="primary"
          icon={Plus}
          disabledReason={mayCreate ? undefined : 'You need permission to create join tokens (token: create, update)'}
          onClick={() => setAddress({ new: 'yes' })}
        >
          Create token
        </Button>
      </PageHead>
      <Toolbar>
        <SearchField label="Search tokens" value={draft.text} onValue={draft.change} onSubmit={draft.submit} />
        <IconButton icon={RefreshCw} label="Refresh" busy={query.isRefetching} onClick={refetch} />
      </Toolbar>
      {query.error && <ListError error={query.error} things="join tokens" rule="token: list, read" onRetry={refetch} />}
      {(rows || !query.error) && (
        <Table
          list={list}
          label="Join tokens"
          onSort={(sort) => setAddress({ sort: `${sort.id}:${sort.desc ? 'desc' : 'asc'}`, page: undefined })}
          empty={
            q ? (
              <EmptyState plain title="Nothing matches" actions={<Button onClick={() => draft.submit('')}>Clear search</Button>}>
                No token is like that.
              </EmptyState>
            ) : (
              <EmptyState title="No join tokens">A token lets servers and other agents into the cluster until it expires.</EmptyState>
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
      {address.new && mayCreate && (
        <NewToken
          names={new Set(all?.map(({ token }) => token.id))}
          onYaml={(method, roles) => {
            setAddress({ new: undefined })
            setEdited({ method, roles })
          }}
          onClose={() => setAddress({ new: undefined })}
        />
      )}
      {shown && (
        <Dialog
          open
          width={600}
          title={`Install with token ${shown.name}`}
          onClose={() => setShown(undefined)}
          footer={<Button onClick={() => setShown(undefined)}>Close</Button>}
        >
          <p className="t2">Run this on the server that is to join. Running it again upgrades the agent.</p>
          <JoinCommand token={shown.token.id} expires={shown.expires} />
        </Dialog>
      )}
      <Suspense>{edited && <TokenEditor edited={edited} onClose={() => setEdited(undefined)} />}</Suspense>
    </>
  )
}
