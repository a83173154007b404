/** The channel through which a proxy hears of a session's programs (wire/program-watch.ts). */
import { watchRequestWire } from '@sallyport/wire/program-watch.ts'
import type { WatchMessageWire } from '@sallyport/wire/program-watch.ts'
import type { ServerChannel } from 'ssh2'
import type { AgentLog } from '../log.ts'
import { readLine } from '../tunnel/read-line.ts'
import type { ProgramWatch, ProgramWatches } from './program-watches.ts'

/** What waits for the proxy at most, in bytes; events beyond are counted and left out. */
const backlogLimit = 1024 * 1024
const requestLimit = 1024

/** `opened` holds the watches of the connection by their names, for the sessions that name one. */
export async function serveWatch(
  channel: ServerChannel,
  watches: ProgramWatches,
  opened: Map<string, ProgramWatch>,
  log: AgentLog,
): Promise<void> {
  const gone = new AbortController()
  channel.on('error', () => undefined) // a close follows
  channel.once('close', () => gone.abort())
  let leftOut = 0
  const send = (message: WatchMessageWire): void => {
    if (gone.signal.aborted) return
    if (message.kind !== 'settled' && channel.writableLength > backlogLimit) {
      leftOut += message.kind === 'lost' ? message.count : 1
      return
    }
    if (leftOut > 0) channel.write(`${JSON.stringify({ kind: 'lost', count: leftOut, reason: 'the proxy could not keep up' })}\n`)
    leftOut = 0
    channel.write(`${JSON.stringify(message)}\n`)
  }
  try {
    const { watch: name, kinds } = watchRequestWire.parse(JSON.parse(await readLine(channel, requestLimit)))
    const watch = await watches.open(name, kinds, {
      event: send,
      lost: (count, reason) => send({ kind: 'lost', count, reason }),
    })
    gone.signal.addEventListener('abort', () => {
      opened.delete(name)
      watch.close()
    })
    if (gone.signal.aborted) return watch.close()
    opened.set(name, watch)
    send({ kind: 'ready', kinds: [...watch.kinds], missing: [...watch.missing] })
    await readLine(channel, requestLimit)
    await watch.settle()
    send({ kind: 'settled' })
    await watch.emptied(gone.signal)
  } catch (error) {
    // Also when the proxy goes without a word.
    log.debug({ err: error }, 'the programs of a session are not told any more')
  }
  channel.end()
  channel.close()
}
