/** Asks the agent of a server to tell what the programs of one session do (wire/program-watch.ts). */
import { randomUUID } from 'node:crypto'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { watchLineLimit, watchMessageWire, watchSubsystem, watchVariable } from '@sallyport/wire/program-watch.ts'
import type { ProgramEventKind, WatchMessageWire } from '@sallyport/wire/program-watch.ts'
import type { ProgramReport, ProgramReports } from '../../core/sessions/program-reports.ts'
import { messagesOf } from '../../core/tunnel/lines.ts'
import type { ShellChannel } from './channel.ts'
import type { NodeConnection } from './connect-node.ts'
import { SshError } from './ssh-error.ts'

/** The host compiles what it puts into its kernel when it is asked for the first time. */
const readyTimeout = 65_000
/** For what happened before the end of a session. */
const settleTimeout = 2_500
/** What programs do that were left running is told for so long. */
const longestLinger = 24 * 3_600_000

export interface WatchedSession {
  /** To be asked for with the session that is watched. */
  readonly env: Readonly<Record<string, string>>
  readonly reports: ProgramReports
  /** There is no such session after all. */
  cancel(): void
}

const untold = (kinds: readonly ProgramEventKind[], reason: string): WatchedSession => without(kinds.map((kind) => `${kind}: ${reason}`))

const without = (missing: readonly string[]): WatchedSession => ({
  env: {},
  reports: { kinds: [], missing, batches: nothing(), over: () => Promise.resolve() },
  cancel: () => undefined,
})

// eslint-disable-next-line typescript/require-await -- there is nothing to wait for
async function* nothing(): AsyncGenerator<never> {}

/** As the owner's roles want it; undefined when they want nothing. A host that cannot is no reason to refuse the session. */
export async function watchPrograms({ ssh, subject, requester, keepUntil }: NodeConnection): Promise<WatchedSession | undefined> {
  const kinds = requester.caller.access.options.enhancedRecording
  if (kinds.length === 0) return undefined
  if (subject.node.subKind === 'openssh') return untold(kinds, 'the server has no agent')
  let channel: ShellChannel
  try {
    channel = await ssh.subsystem(watchSubsystem)
  } catch {
    return untold(kinds, 'the agent of the server is older than this proxy')
  }
  channel.on('error', () => undefined) // its end says enough
  channel.stderr.resume()
  const watch = randomUUID()
  channel.write(`${JSON.stringify({ watch, kinds })}\n`)
  const messages = messagesOf(channel, watchLineLimit, watchMessageWire)
  const timer = setTimeout(() => channel.destroy(), readyTimeout)
  try {
    const [ready, ...rest] = (await messages.next()).value ?? []
    if (ready?.kind !== 'ready') throw new ProtocolError('program-watch/not-ready', 'The host did not say what it tells.')
    if (ready.kinds.length === 0) {
      // Nothing will come: the channel would stay open as long as the session, and its end would be waited for.
      channel.destroy()
      return without(ready.missing)
    }
    const { reports, ended } = follow(channel, messages, rest, ready)
    keepUntil(ended)
    return { env: { [watchVariable]: watch }, reports, cancel: () => channel.destroy() }
  } catch {
    channel.destroy()
    return untold(kinds, 'the agent of the server did not answer')
  } finally {
    clearTimeout(timer)
  }
}

function follow(
  channel: ShellChannel,
  messages: AsyncIterable<readonly WatchMessageWire[]>,
  first: readonly WatchMessageWire[],
  { kinds, missing }: Extract<WatchMessageWire, { kind: 'ready' }>,
): { reports: ProgramReports; ended: Promise<void> } {
  const settled = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  channel.once('close', ended.resolve)
  async function* batches(): AsyncGenerator<readonly ProgramReport[]> {
    try {
      yield first.filter(isReport)
      for await (const batch of messages) {
        yield batch.filter(isReport)
        // Whoever reads has dealt with what came before.
        if (batch.some(({ kind }) => kind === 'settled')) settled.resolve()
      }
    } catch (error) {
      // The connection broke, and the session with it.
      if (!(error instanceof SshError)) throw error
    } finally {
      channel.destroy()
      settled.resolve()
    }
  }
  async function over(): Promise<void> {
    if (!channel.writable) return
    channel.write('over\n')
    const linger = setTimeout(() => channel.destroy(), longestLinger).unref()
    channel.once('close', () => clearTimeout(linger))
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, settleTimeout).unref())
    await Promise.race([settled.promise, timeout])
  }
  return { reports: { kinds, missing, batches: batches(), over }, ended: ended.promise }
}

const isReport = (message: WatchMessageWire): message is ProgramReport => message.kind !== 'ready' && message.kind !== 'settled'
