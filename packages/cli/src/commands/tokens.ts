import { adminCalls } from '@sallyport/wire/admin.ts'
import { installNodeCommand, isInstallToken } from '@sallyport/wire/entities/join-token.ts'
import { trustedClusterDocument, trustedClusterRole } from '@sallyport/wire/entities/trusted-cluster.ts'
import { defaultJoinMethod } from '@sallyport/wire/limits.ts'
import { ask } from '../admin-client.ts'
import { dataDirOf } from '../data-dir.ts'
import { printTable } from '../table.ts'

export interface AddTokenOptions {
  roles: string[]
  ttl: number
  labels?: Record<string, string>
  once?: boolean
  dataDir?: string
}

export async function addToken({ roles, ttl, labels = {}, once = false, ...options }: AddTokenOptions): Promise<void> {
  const made = await ask(dataDirOf(options), adminCalls.addToken, { roles, ttl, labels, once })
  console.log(`Good until ${made.expires}${once ? ', for one agent' : ''}:`)
  console.log(made.token)
  if (made.roles.includes(trustedClusterRole)) {
    const { protocol, host, origin } = new URL(made.publicUrl)
    console.log('Apply this at the cluster that is to join, with `sallyport create -f`, or in its console under Trusted Clusters:')
    const address = protocol === 'https:' ? host : origin
    console.log(trustedClusterDocument({ name: made.cluster, token: made.token, address, pin: made.authorityPin }))
  }
  if (!isInstallToken({ id: made.token, method: defaultJoinMethod, roles: made.roles })) return
  console.log('Run this on the server that is to join:')
  console.log(installNodeCommand(made.publicUrl, made.token, made.pin))
}

export async function listTokens(options: { dataDir?: string }): Promise<void> {
  const tokens = await ask(dataDirOf(options), adminCalls.listTokens, undefined)
  const rows = tokens.map(({ name, method, roles, expires, once }) => [
    name,
    method,
    roles.join(','),
    `${expires || 'never'}${once ? ', for one agent' : ''}`,
  ])
  printTable([['NAME', 'METHOD', 'ROLES', 'EXPIRES'], ...rows])
}
