/** A recording streamed at the pace it was recorded, for consoles that play it that way. */
import { decodeCommand } from '@sallyport/wire/sockets/playback.ts'
import { z } from 'zod'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { AppError, badParameter } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { isSid } from '../../core/recordings/recording-files.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRoute } from '../../core/route.ts'
import { PacedPlayback } from './paced-playback.ts'
import { refusalOf } from './viewing.ts'
import type { Viewing } from './viewing.ts'

export interface PlaybackSocketDeps {
  cluster: OwnCluster
  viewing: Viewing
  log: Log
}

export const playbackSocket = ({ cluster, viewing, log }: PlaybackSocketDeps): SocketRoute =>
  onSocket({
    id: 'recordings.playback',
    path: '/v1/webapi/sites/{clusterId}/ttyplayback/{sid}',
    query: z.object({}),
    async prepare({ params, caller, client }): Promise<string> {
      requireOwnCluster(cluster, params['clusterId'] ?? '')
      const sid = params['sid'] ?? ''
      if (!isSid(sid)) throw badParameter('sid: invalid session id')
      await using _mayBeSeen = await viewing.open(caller, sid)
      await viewing.noteViewing(caller, client, sid)
      return sid
    },
    open(socket, sid, { caller }) {
      const playback = new PacedPlayback({
        open: () => viewing.open(caller, sid),
        // Resolves when the bytes are on their way: who reads slowly is told slowly.
        send: (bytes) => new Promise((resolve) => socket.send(bytes, () => resolve())),
        now: () => performance.now(),
      })
      socket.on('message', (data, isBinary) => {
        const command = isBinary && data instanceof Buffer ? decodeCommand(data) : undefined
        if (command) playback.take(command)
        else playback.fail('That is no command of a player.')
      })
      socket.on('close', () => playback.close())
      playback
        .run()
        .catch(async (error: unknown) => {
          const known = refusalOf(error, sid)
          if (!(known instanceof AppError)) log.error({ err: error, sid }, 'a recording could not be streamed')
          await playback.tell(known instanceof AppError ? known.message : 'The recording could not be read.')
        })
        .finally(() => socket.close())
    },
  })
