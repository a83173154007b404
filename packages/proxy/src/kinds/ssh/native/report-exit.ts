import type { ServerChannel } from 'ssh2'
import type { ExitInfo } from '../../../core/sessions/shell.ts'

/** What ssh itself ends with when it is the connection that failed. */
const sshFailed = 255

/** Tells how it ended and closes the channel, after whatever was written before. */
export function reportExit(channel: ServerChannel, { code, signal }: ExitInfo): void {
  if (signal !== undefined) channel.exit(signal.replace(/^SIG/u, ''), false, '')
  else channel.exit(code ?? sshFailed)
  channel.end()
  // Input that is still on its way must not keep the channel open.
  channel.resume()
}
