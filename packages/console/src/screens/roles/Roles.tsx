import { UserRoundSearch } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { useWholeList, wholeListShape } from '../../parts/list/use-whole-list.ts'
import { WholeList } from '../../parts/list/WholeList.tsx'
import { reportUse } from '../../parts/report-use.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { DeleteRole } from './DeleteRole.tsx'
import { roleColumns } from './role-columns.tsx'
import { useRoles } from './use-roles.ts'
import type { RoleRow } from './use-roles.ts'

const RoleEditor = lazy(() => import('./RoleEditor.tsx').then((loaded) => ({ default: loaded.RoleEditor })))
const CompareRoles = lazy(() => import('./CompareRoles.tsx').then((loaded) => ({ default: loaded.CompareRoles })))
const ExplainAccess = lazy(() => import('./ExplainAccess.tsx').then((loaded) => ({ default: loaded.ExplainAccess })))

const rolesList = {
  title: 'Roles',
  one: 'role',
  many: 'roles',
  rule: 'role: list, read',
  order: { fields: ['name'] },
  hints: [
    ['j k', 'move'],
    ['↵', 'edit'],
    ['m', 'menu'],
  ],
  keyOf: ({ role }: RoleRow): string => role.name,
  textOf: ({ role, description }: RoleRow): string => `${role.name} ${description}`,
  whyNone: (words: string): string => `No role has “${words}” in its name or description.`,
} as const
const search = z.object({
  ...wholeListShape(rolesList.order),
  /** The role in the editor. */
  role: z.optional(z.string()),
  /** A new one is being made; of `from` when it is a copy. */
  new: z.optional(z.literal('yes')),
  from: z.optional(z.string()),
})
/** The roles of the cluster: who may reach and change what. */
export function Roles() {
  const { acl } = useUserContext()
  const may = acl.roles
  const [address, setAddress] = useSearchState(search)
  const { query, rows } = useRoles()
  const [comparing, setComparing] = useState<string>()
  const [removing, setRemoving] = useState<RoleRow>()
  const [explaining, setExplaining] = useState(false)
  const columns = useMemo(
    () =>
      roleColumns({
        may,
        open: (name) => setAddress({ role: name }),
        duplicate: (name) => setAddress({ new: 'yes', from: name }),
        compare: setComparing,
        remove: setRemoving,
      }),
    [may, setAddress],
  )
  const list = useWholeList(rolesList, { columns, rows, address, setAddress })
  const mayCreate = may.create && may.edit
  const create = () => {
    reportUse({ event: 'tp.ui.createNewRole.click' })
    setAddress({ new: 'yes' })
  }
  const edited = address.role ?? (address.new ? '' : undefined)
  return (
    <>
      <WholeList
        list={list}
        texts={rolesList}
        query={query}
        actions={
          <Button icon={UserRoundSearch} onClick={() => setExplaining(true)}>
            Explain access
          </Button>
        }
        add={{
          label: 'Create role',
          whyNot: mayCreate ? undefined : 'You need permission to create roles (role: create, update)',
          run: create,
        }}
        nothing={{ title: 'No roles', text: 'Roles say who may reach and change what.' }}
      />
      <Suspense>
        {edited !== undefined && rows && (
          <RoleEditor
            key={`${edited} ${address.from ?? ''}`}
            name={edited}
            from={address.from}
            rows={rows}
            onClose={(outcome) => {
              if (address.new)
                reportUse({ event: outcome === 'saved' ? 'tp.ui.createNewRoleSave.click' : 'tp.ui.createNewRoleCancel.click' })
              setAddress({ role: undefined, new: undefined, from: undefined })
            }}
          />
        )}
        {comparing !== undefined && rows && <CompareRoles name={comparing} rows={rows} onClose={() => setComparing(undefined)} />}
        {explaining && <ExplainAccess onClose={() => setExplaining(false)} />}
      </Suspense>
      {removing && <DeleteRole row={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}
