import { lazy, Suspense, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { remove } from '@sallyport/wire/calls/tokens.ts'
import { tokenNameHeader } from '@sallyport/wire/entities/join-token.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { request } from '../../api/page.ts'
import { JoinCommand } from '../../parts/JoinCommand.tsx'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { toasts } from '../../ui/toast.ts'
import { NewToken } from './NewToken.tsx'
import { tokenColumns } from './token-columns.tsx'
import type { Edited } from './TokenEditor.tsx'
import { methodWords, roleWords } from './token-roles.ts'
import { refreshTokens, useTokens } from './use-tokens.ts'
import type { TokenRow } from './use-tokens.ts'

const TokenEditor = lazy(() => import('./TokenEditor.tsx').then((loaded) => ({ default: loaded.TokenEditor })))

const tokensList = {
  title: 'Join tokens',
  one: 'token',
  many: 'tokens',
  rule: 'token: list, read',
  order: { fields: ['expires', 'name', 'method'] },
  hints: [
    ['j k', 'move'],
    ['↵', 'edit'],
    ['m', 'menu'],
  ],
  keyOf: ({ token }: TokenRow): string => token.id,
  /** Not the name of a token, which is a secret: no secret is typed to be found. */
  textOf: ({ token, name, labels }: TokenRow): string =>
    [
      name,
      methodWords[token.method],
      token.bot_name,
      ...token.roles.map(roleWords),
      ...labels.map((label) => `${label.name}=${label.value}`),
    ].join(' '),
} as const
const search = z.object({ ...wholeListShape(tokensList.order), new: z.optional(z.literal('yes')) })

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
  const { query, rows } = useTokens()
  const [edited, setEdited] = useState<Edited>()
  const [shown, setShown] = useState<TokenRow>()
  const columns = useMemo(() => tokenColumns({ may, open: (row) => setEdited({ row }), showCommand: setShown, remove: askToDelete }), [may])
  const list = useWholeList(tokensList, { columns, rows, address, setAddress })
  // Of an older proxy, which knows no calls for them but the one of the wizard.
  const isAbsent = query.error instanceof ApiError && query.error.status === 404
  const mayCreate = may.create && may.edit
  const whyNotCreate = isAbsent
    ? 'This proxy makes tokens while a resource is enrolled'
    : mayCreate
      ? undefined
      : 'You need permission to create join tokens (token: create, update)'
  return (
    <>
      <WholeList
        list={list}
        texts={tokensList}
        query={query}
        problem={
          isAbsent && <EmptyState title="This proxy does not list join tokens">It makes one whenever you enroll a resource.</EmptyState>
        }
        add={{ label: 'Create token', whyNot: whyNotCreate, run: () => setAddress({ new: 'yes' }) }}
        nothing={{ title: 'No join tokens', text: 'A token lets servers and other agents into the cluster until it expires.' }}
      />
      {address.new && mayCreate && (
        <NewToken
          names={new Set(rows?.map(({ token }) => token.id))}
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
