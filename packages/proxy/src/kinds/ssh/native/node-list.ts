/** What somebody may reach, for `sallyport ls` and `sallyport db ls`: the one thing that the outer connection tells. */
import type { Session } from 'ssh2'
import { databaseListSubsystem, nodeListSubsystem } from '@sallyport/wire/native-ssh.ts'
import type { NativeDatabase, NativeNode } from '@sallyport/wire/native-ssh.ts'
import { accessTo } from '../../../core/access/assumed.ts'
import type { Actor } from '../../../core/caller.ts'
import type { Inventory } from '../../../core/inventory/inventory.ts'

const useServer = 'This is the proxy: there is no shell here. Name a server behind it, such as ssh -J this-proxy login@server.\r\n'

export interface Lists {
  nodes: () => NativeNode[]
  databases: () => NativeDatabase[]
}

export function serveLists(session: Session, lists: Lists): void {
  const refuse: Parameters<Session['on']>[1] = (
    accept: () => { stderr: { write(text: string): void }; exit(code: number): void; end(): void },
  ) => {
    const channel = accept()
    channel.stderr.write(useServer)
    channel.exit(1)
    channel.end()
  }
  session.on('shell', refuse)
  session.on('exec', refuse)
  session.on('subsystem', (accept, reject, { name }) => {
    const list = { [nodeListSubsystem]: lists.nodes, [databaseListSubsystem]: lists.databases }[name]
    if (!list) return reject()
    const channel = accept()
    channel.write(`${JSON.stringify(list())}\n`)
    channel.exit(0)
    channel.end()
  })
}

export const listNodes = (caller: Pick<Actor, 'access' | 'requested'>, inventory: Pick<Inventory, 'nodes'>): NativeNode[] =>
  inventory
    .nodes()
    .map((node) => ({ ...node, access: accessTo(caller, 'node', node.id) }))
    .filter(({ access, labels }) => access.canSeeNode(labels))
    .map(({ id, hostname, addr, labels, logins, access }) => ({ id, hostname, addr, labels, logins: access.nodeLogins(labels, logins) }))
    .toSorted((a, b) => a.hostname.localeCompare(b.hostname))
