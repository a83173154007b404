/** SFTP of a native client: passed on to the server's own, while every operation is read along and written down before the client hears of its end. */
import type { SftpOperation, SftpOutcome } from '@sallyport/protocols/ssh/sftp-watch.ts'
import { SftpWatch } from '@sallyport/protocols/ssh/sftp-watch.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { ServerChannel } from 'ssh2'
import type { AuditFields } from '../../../core/audit/audit.ts'
import { endReasons } from '../../../core/sessions/end-reason.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'
import { startIdleTimer } from '../../../core/sessions/idle-timer.ts'
import type { ExitInfo } from '../../../core/sessions/shell.ts'
import type { ShellChannel } from '../channel.ts'
import { CommandStreams } from './command-streams.ts'

const codes: Record<SftpOperation, { done: AuditCode; failed: AuditCode }> = {
  open: { done: 'TS001I', failed: 'TS001E' },
  setAttributes: { done: 'TS007I', failed: 'TS007E' },
  list: { done: 'TS010I', failed: 'TS010E' },
  remove: { done: 'TS011I', failed: 'TS011E' },
  makeDirectory: { done: 'TS012I', failed: 'TS012E' },
  removeDirectory: { done: 'TS013I', failed: 'TS013E' },
  rename: { done: 'TS016I', failed: 'TS016E' },
  symlink: { done: 'TS018I', failed: 'TS018E' },
  hardLink: { done: 'TS019I', failed: 'TS019E' },
}

export interface SftpSessionOptions {
  channel: ServerChannel
  remote: ShellChannel
  /** Milliseconds without a byte after which it ends; 0 for never. */
  idleTimeout: number
  idleText: string
  now: () => number
  emit: (code: AuditCode, fields: AuditFields) => Promise<unknown>
}

export class SftpSession {
  /** Does not reject. */
  readonly ended: Promise<void>
  readonly #options: SftpSessionOptions
  readonly #streams: CommandStreams
  readonly #watch = new SftpWatch()
  readonly #cut = Promise.withResolvers<ExitInfo>()
  #reason: EndReason | undefined

  constructor(options: SftpSessionOptions) {
    this.#options = options
    this.#streams = new CommandStreams(options.channel)
    this.ended = this.#run()
  }

  end(reason: EndReason): void {
    if (this.#reason) return
    this.#reason = reason
    this.#options.remote.destroy()
    this.#cut.resolve({ code: undefined, signal: undefined })
  }

  async #run(): Promise<void> {
    const { channel, remote, idleTimeout, idleText, now } = this.#options
    const idle = startIdleTimer(idleTimeout, now, () => this.end(endReasons.idle(idleText)))
    remote.on('error', () => undefined) // told by the missing exit
    remote.stderr.resume()
    channel.on('data', (bytes: Buffer) => {
      idle.touch()
      this.#guard(() => this.#watch.fromClient(bytes))
    })
    channel.pipe(remote)
    remote.once('close', () => channel.unpipe(remote).resume())
    channel.once('close', () => this.end({ kind: 'cut', text: '' }))
    const exit = await Promise.race([this.#answer(() => idle.touch()), this.#cut.promise])
    idle[Symbol.dispose]()
    const reason = this.#reason
    this.#reason ??= { kind: 'exit' }
    await this.#told(reason)
    this.#streams.close(exit, reason?.kind === 'cut' ? reason.text : undefined)
  }

  async #answer(onBytes: () => void): Promise<ExitInfo> {
    const { remote } = this.#options
    try {
      for await (const bytes of remote as AsyncIterable<Buffer>) {
        if (this.#reason) break
        onBytes()
        for (const outcome of this.#watch.fromServer(bytes)) await this.#write(outcome)
        await this.#streams.output(bytes)
      }
    } catch {
      // The connection broke, or the server or the audit log failed: nothing more is passed on.
      this.end({ kind: 'cut', text: 'The file transfer is closed: the connection to the server was lost.' })
    }
    return remote.exit
  }

  #write({ request: { operation, path, targetPath, flags }, error }: SftpOutcome): Promise<unknown> {
    // It is no session of its own.
    const fields = { sid: '', path, ...(targetPath !== undefined && { target_path: targetPath }), ...(flags !== undefined && { flags }) }
    const { done, failed } = codes[operation]
    return error === undefined ? this.#options.emit(done, fields) : this.#options.emit(failed, { ...fields, error })
  }

  async #told(reason: EndReason | undefined): Promise<void> {
    if (reason?.kind === 'cut' && reason.disconnected !== undefined)
      await this.#options.emit('T3006I', { reason: reason.disconnected }).catch(() => undefined) // the connection ends all the same
  }

  #guard(read: () => void): void {
    try {
      read()
    } catch {
      this.end({ kind: 'cut', text: 'The file transfer is closed: the client does not speak SFTP.' })
    }
  }
}
