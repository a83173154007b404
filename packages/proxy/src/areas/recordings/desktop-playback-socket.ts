/** The playback socket of desktops. */
import { desktopCommandWire } from '@sallyport/wire/sockets/desktop-playback.ts'
import type { DesktopCommand } from '@sallyport/wire/sockets/desktop-playback.ts'
import { z } from 'zod'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import { AppError } from '../../core/errors.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRoute } from '../../core/route.ts'
import { DesktopPlayback } from './desktop-playback.ts'
import type { PlaybackSocketDeps } from './playback-socket.ts'
import { refusalOf } from './viewing.ts'

export const desktopPlaybackSocket = ({ cluster, viewing, log }: PlaybackSocketDeps): SocketRoute =>
  onSocket({
    id: 'recordings.desktopPlayback',
    path: '/v1/webapi/sites/{clusterId}/desktopplayback/{sid}',
    query: z.object({}),
    prepare({ params }): Promise<string> {
      requireOwnCluster(cluster, params['clusterId'] ?? '')
      return Promise.resolve(params['sid'] ?? '')
    },
    open(socket, sid, { caller, client }) {
      const send = (json: string): Promise<void> => new Promise((resolve) => socket.send(Buffer.from(json), () => resolve()))
      const playback = new DesktopPlayback({ open: () => viewing.open(caller, sid), send, now: () => performance.now() })
      socket.on('message', (data, isBinary) => {
        const command = !isBinary && data instanceof Buffer ? parseCommand(data.toString()) : undefined
        if (command) playback.take(command)
        else socket.close()
      })
      socket.on('close', () => playback.close())
      const run = async (): Promise<void> => {
        await using _mayBeSeen = await viewing.open(caller, sid)
        await viewing.noteViewing(caller, client, sid)
        await playback.run()
      }
      run()
        .catch(async (error: unknown) => {
          const known = refusalOf(error, sid)
          const isMissing = known instanceof AppError && known.code === 'not_found'
          if (!(known instanceof AppError)) log.error({ err: error, sid }, 'the recording of a desktop could not be streamed')
          const errorText = isMissing ? 'session not found' : known instanceof AppError ? known.message : 'server error'
          await send(JSON.stringify({ message: 'error', errorText }))
        })
        .finally(() => socket.close())
    },
  })

function parseCommand(text: string): DesktopCommand | undefined {
  try {
    return desktopCommandWire.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // no JSON
  }
}
