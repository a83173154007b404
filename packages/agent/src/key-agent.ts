/** The client's agent of keys, as a socket that the programs of one session find in SSH_AUTH_SOCK. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { openKeyAgentChannel } from '@sallyport/protocols/ssh/key-agent-channel.ts'
import type { Connection } from 'ssh2'
import type { Account } from './accounts.ts'

export interface KeyAgent extends AsyncDisposable {
  /** For SSH_AUTH_SOCK. */
  readonly path: string
}

/** Reachable for that account alone. */
export async function offerKeyAgent(connection: Connection, { uid, gid }: Account): Promise<KeyAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-keys-'))
  const path = join(folder, randomUUID().slice(0, 8))
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined) // a close follows
    openKeyAgentChannel(connection).then(
      (channel) => {
        if (!(channel instanceof Duplex))
          throw new TypeError('ssh2 changed inside (its channels). Install the version that package.json names.')
        channel.on('error', () => socket.destroy()).once('close', () => socket.destroy())
        socket.once('close', () => channel.destroy())
        socket.pipe(channel).pipe(socket)
      },
      () => socket.destroy(), // the client forwards none, or is gone
    )
  })
  const close = async (): Promise<void> => {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const listening = once(server, 'listening')
    server.listen(path)
    await listening
    // The folder belongs to us alone until what is in it is settled.
    await chown(path, uid, gid)
    await chown(folder, uid, gid)
  } catch (error) {
    await close()
    throw error
  }
  connection.once('close', () => void close())
  return { path, [Symbol.asyncDispose]: close }
}
