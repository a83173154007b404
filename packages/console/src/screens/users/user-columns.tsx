import type { User } from '@sallyport/wire/entities/user.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { MarkCell, NameCell, RolesCell, StatusCell, TypeCell } from './UserCells.tsx'
import { stateWords, typeOf } from './user-filter.ts'
import { UserMenu } from './UserMenu.tsx'

const mark: Column<User> = {
  id: 'mark',
  header: 'Mark',
  width: '36px',
  kind: 'select',
  phone: 'hide',
  skeleton: '16px',
  cell: (user) => <MarkCell user={user} />,
}
const name: Column<User> = {
  id: 'name',
  header: 'Name',
  width: '30%',
  sort: (user) => user.name,
  phone: 'title',
  cell: (user) => <NameCell user={user} />,
}
const roles: Column<User> = {
  id: 'roles',
  header: 'Roles',
  sort: (user) => user.roles.join(' '),
  cell: (user) => <RolesCell user={user} />,
}
const type: Column<User> = {
  id: 'type',
  header: 'Type',
  width: '168px',
  sort: typeOf,
  cell: (user) => <TypeCell user={user} />,
}
const status: Column<User> = {
  id: 'status',
  header: 'Status',
  width: '144px',
  sort: ({ state }) => (state ? stateWords[state] : ''),
  cell: (user) => <StatusCell user={user} />,
}
const actions: Column<User> = {
  id: 'actions',
  header: 'Actions',
  width: '48px',
  kind: 'actions',
  phone: 'corner',
  skeleton: '24px',
  cell: (user) => <UserMenu user={user} />,
}

export const userColumns: Column<User>[] = [mark, name, roles, type, status, actions]
/** Beside the docked details. */
export const narrowColumns: Column<User>[] = [mark, { ...name, width: '38%' }, roles, actions]
