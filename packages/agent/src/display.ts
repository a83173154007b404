/** The client's X display, as one of this machine: the programs of one session find it in DISPLAY and what opens it in XAUTHORITY. */
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection, X11Info } from 'ssh2'
import type { Account } from './accounts.ts'
import { joinStreams } from './port-forward.ts'

export interface Display extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
}

/** Displays of the machine's own are below; X programs add the number to this port. */
const firstNumber = 10
const lastNumber = 1009
const firstPort = 6000

/** Whoever can connect to the port needs the cookie too; the client makes it for this session and checks it itself. */
export async function offerDisplay(connection: Connection, { uid, gid }: Account, wish: X11Info): Promise<Display> {
  const secret = authorizationOf(wish)
  // Programs never close one direction alone, and clients wait for ever for one that is gone.
  const server = createServer((socket) => {
    socket.on('error', () => undefined) // a close follows
    if (wish.single) server.close()
    connection.x11(socket.remoteAddress ?? '127.0.0.1', socket.remotePort ?? 0, (error, channel) => {
      if (error) return void socket.destroy()
      // A program that is gone by then closes nothing any more.
      if (socket.destroyed) channel.close()
      else joinStreams(channel, socket)
    })
  })
  const number = await listenOnDisplay(server)
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-display-'))
  const close = async (): Promise<void> => {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const file = join(folder, 'authority')
    await writeFile(file, secret(number), { mode: 0o600 })
    // The folder belongs to us alone until what is in it is settled.
    await chown(file, uid, gid)
    await chown(folder, uid, gid)
    connection.once('close', () => void close())
    return { env: { DISPLAY: `localhost:${number}.${wish.screen}`, XAUTHORITY: file }, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first number that nobody has. */
async function listenOnDisplay(server: Server): Promise<number> {
  for (let number = firstNumber; number <= lastNumber; number += 1) {
    server.listen(firstPort + number, '127.0.0.1')
    try {
      await once(server, 'listening')
      return number
    } catch (error) {
      if (!isInUse(error)) throw error
    }
  }
  throw new Error(`displays ${firstNumber} to ${lastNumber} are all in use`)
}
const isInUse = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

const anyAddress = 0xff_ff
const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])
const counted = (value: string | Buffer): Buffer[] => [uint16(Buffer.byteLength(value)), Buffer.from(value)]

/**
 * A file of X authorities with one entry: for any address, the display's number, the protocol's name and the cookie, all
 * but the first with their length before them. Throws for what no client of ours sends.
 */
export function authorizationOf({
  protocol,
  cookie,
  screen,
}: Pick<X11Info, 'protocol' | 'cookie' | 'screen'>): (display: number) => Buffer {
  // The library hands out bytes, whatever its types say.
  const hex = String(cookie)
  if (!/^[\w-]{1,64}$/u.test(protocol) || !/^([0-9a-f]{2}){1,256}$/iu.test(hex) || screen > 255)
    throw new Error('the request for a display is not of the known form')
  return (display) =>
    Buffer.concat([
      uint16(anyAddress),
      ...counted(''),
      ...counted(String(display)),
      ...counted(protocol),
      ...counted(Buffer.from(hex, 'hex')),
    ])
}
