/** Groups of people. */
import { call, rule } from '../call.ts'
import { listQueryWire, pageOf } from '../entities/list.ts'
import { userGroupWire } from '../entities/user-group.ts'
import { clusterParams } from './clusters.ts'

/** Sortable by name, description. */
export const userGroups = call({
  id: 'userGroups.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/user-groups',
  allow: rule('user_group', 'list', 'read'),
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(userGroupWire),
})
