/** What the outer connection answers itself: what somebody may reach, for `sallyport ls` and the like, and questions about their device. */
import type { ServerChannel, Session } from 'ssh2'
import type { NativeNode } from '@sallyport/wire/native-ssh.ts'
import { accessTo } from '../../../core/access/assumed.ts'
import type { Actor } from '../../../core/caller.ts'
import type { Inventory } from '../../../core/inventory/inventory.ts'

const useServer = 'This is the proxy: there is no shell here. Name a server behind it, such as ssh -J this-proxy login@server.\r\n'

/** By subsystem. */
export type Lists = Readonly<Record<string, () => unknown>>
/** By subsystem; they own the channel. */
export type Talks = Readonly<Record<string, (channel: ServerChannel) => void>>

export function serveLists(session: Session, lists: Lists, talks: Talks): void {
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
    const talk = Object.hasOwn(talks, name) ? talks[name] : undefined
    if (talk) return talk(accept())
    const list = Object.hasOwn(lists, name) ? lists[name] : undefined
    if (!list) return reject()
    const channel = accept()
    channel.on('error', () => undefined) // a close follows
    const answer = (stream: { write(text: string): void }, text: string, code: number): void => {
      // The client may have gone meanwhile.
      if (channel.destroyed) return
      stream.write(text)
      channel.exit(code)
      channel.end()
    }
    Promise.resolve()
      .then(list)
      .then(
        (rows) => answer(channel, `${JSON.stringify(rows)}\n`, 0),
        () => answer(channel.stderr, 'The list could not be read.\n', 1),
      )
  })
}

export const listNodes = (caller: Pick<Actor, 'access' | 'requested'>, inventory: Pick<Inventory, 'nodes'>): NativeNode[] =>
  inventory
    .nodes()
    .map((node) => ({ ...node, access: accessTo(caller, 'node', node.id) }))
    .filter(({ access, labels }) => access.canSeeNode(labels))
    .map(({ id, hostname, addr, labels, logins, access }) => ({ id, hostname, addr, labels, logins: access.nodeLogins(labels, logins) }))
    .toSorted((a, b) => a.hostname.localeCompare(b.hostname))
