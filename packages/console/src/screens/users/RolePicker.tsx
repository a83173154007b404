import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { list } from '@sallyport/wire/calls/roles.ts'
import { callQuery } from '../../api/queries.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { PickMany } from '../../ui/PickMany.tsx'

export interface RolePickerProps {
  label?: string
  values: readonly string[]
  onValues: (roles: string[]) => void
  /** Roles that somebody holds: all that is known when the viewer may not list roles. */
  held: readonly string[]
  error?: string | undefined
  required?: boolean
  disabled?: boolean
}

/** Roles, searched by typing. Who may not list them can still type their names. */
export function RolePicker({ label = 'Roles', held, ...rest }: RolePickerProps) {
  const { acl } = useUserContext()
  const may = acl.roles.list && acl.roles.read
  const query = useQuery({ ...callQuery(list), enabled: may })
  const known = query.data
  const options = useMemo(() => (known ? known.map(({ name }) => name).toSorted() : held), [known, held])
  return (
    <PickMany
      {...rest}
      name="roles"
      label={label}
      options={options}
      creatable={!known}
      nothing={query.isPending && may ? 'Loading roles…' : 'No role has this name'}
      placeholder="Search roles…"
    />
  )
}
