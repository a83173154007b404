import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { dataDirOf } from '../data-dir.ts'
import { printTable } from '../table.ts'

interface Options {
  dataDir?: string
}

export async function listRequests(options: Options): Promise<void> {
  const requests = await ask(dataDirOf(options), adminCalls.listRequests, undefined)
  const rows = requests.map(({ id, user, roles, resources, state, created, reason }) => [
    id,
    user,
    state.toLowerCase(),
    roles.join(',') + (resources > 0 ? ` on ${resources} ${resources === 1 ? 'resource' : 'resources'}` : ''),
    created,
    reason,
  ])
  printTable([['ID', 'USER', 'STATE', 'ROLES', 'CREATED', 'REASON'], ...rows])
}

export async function createRequest(user: string, options: Options & { roles: string[]; reason: string }): Promise<void> {
  const { roles, reason } = options
  const { id } = await ask(dataDirOf(options), adminCalls.createRequest, { user, roles, reason })
  console.log(`request ${id} of ${user} waits for its reviews`)
}

export async function decideRequest(id: string, state: 'APPROVED' | 'DENIED', options: Options & { reason: string }): Promise<void> {
  await ask(dataDirOf(options), adminCalls.decideRequest, { id, state, reason: options.reason })
  console.log(`request ${id} is ${state.toLowerCase()}`)
}

export async function removeRequest(id: string, options: Options): Promise<void> {
  await ask(dataDirOf(options), adminCalls.removeRequest, { id })
  console.log(`request ${id} is removed; sessions that have assumed it keep their access until it ends`)
}
