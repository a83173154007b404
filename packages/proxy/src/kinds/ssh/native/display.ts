/** Windows of programs on the node, on the display of the native client: by role, and written down before the first of them. */
import type { Duplex } from 'node:stream'
import type { Connection, ServerChannel, X11Info } from 'ssh2'
import { isModerated } from '../../../core/access/session-access.ts'
import type { Actor } from '../../../core/caller.ts'
import type { DisplayWish } from '../client.ts'
import type { Requester } from '../connect-node.ts'
import { joinChannel } from './join-channel.ts'

/** What is asked of the node. */
export type Display = Omit<DisplayWish, 'refused'>

/** As the node is asked; undefined for what no client sends. */
export function readWish({ single, protocol, cookie, screen }: X11Info): Display | undefined {
  // The library hands out bytes, whatever its types say.
  const hex = String(cookie)
  if (!/^[\w-]{1,64}$/u.test(protocol) || !/^([0-9a-f]{2}){1,256}$/iu.test(hex) || screen > 255) return undefined
  return { single, protocol, cookie: hex, screen }
}

/** Where others have to be present, nothing runs that they cannot watch. */
export const mayForwardDisplay = ({ request: { caller } }: { request: { caller: Actor } }): boolean =>
  caller.access.options.x11Forwarding && !isModerated(caller.access.sessionHost('ssh'))

/** The inner connection of a client, to which windows belong. */
export interface DisplayOwner {
  readonly isFull: boolean
  readonly requester: Pick<Requester, 'gone'>
  readonly connection: Connection
  hold(running: { ended: Promise<void>; end(): void }): unknown
  touch(): void
}

/** Brings one connection of a program to the client's display. `arrived` is it, from the node. */
export function showOnDisplay(
  service: DisplayOwner,
  origin: { host: string; port: number },
  accept: () => Duplex,
  reject: () => void,
): void {
  if (service.isFull || service.requester.gone.aborted) return reject()
  service.connection.x11(origin.host, origin.port, (error: Error | undefined, channel: ServerChannel) => {
    if (error) return reject()
    const stream = accept()
    const ended = Promise.withResolvers<void>()
    stream.once('close', ended.resolve)
    service.hold({ ended: ended.promise, end: () => stream.destroy() })
    for (const end of [channel, stream]) end.on('data', () => service.touch())
    joinChannel(channel, stream)
  })
}
