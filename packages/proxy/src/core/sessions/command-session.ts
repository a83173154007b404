/**
 * A command without a terminal, run for one client: its streams pass through as they are, standard error apart, each at
 * the pace of who reads; a copy of the output goes to the recording. Nobody joins it.
 */
import type { Readable } from 'node:stream'
import type { RecordingError } from '../recordings/recording-error.ts'
import { endReasons } from './end-reason.ts'
import type { EndReason } from './end-reason.ts'
import { startIdleTimer } from './idle-timer.ts'
import type { IdleTimer } from './idle-timer.ts'
import { Passage } from './output/passage.ts'
import type { RecordingMode, SessionLog } from './session-log.ts'
import type { ExitInfo, Shell } from './shell.ts'
import type { SessionSubject } from './subject.ts'

export interface CommandOptions {
  shell: Shell
  log: SessionLog
  mode: RecordingMode
  /** Milliseconds without a byte either way after which it ends; 0 for never. */
  idleTimeout: number
  /** What people are told then; empty for our own words. */
  idleText: string
  now: () => number
}

/** Where the streams of the command come from and go to. */
export interface CommandClient {
  /** Its end is the end of the command's input. */
  readonly input: Readable
  /** Each resolves when more may come. */
  output(bytes: Buffer): Promise<void>
  errors(bytes: Buffer): Promise<void>
  /** The end, once it is written down. `text`: why it was cut. Nothing is called afterwards. */
  close(exit: ExitInfo, text?: string): void
}

const lineFeed = 0x0a
/** Recordings are of terminals, where a line feed alone does not go back to the margin. */
const forTerminal = (bytes: Buffer): Buffer =>
  bytes.includes(lineFeed) ? Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1') : bytes

export class CommandSession {
  readonly subject: SessionSubject
  /** Resolves when the end is written down and the client told. Does not reject. */
  readonly ended: Promise<void>
  readonly #options: CommandOptions
  readonly #client: CommandClient
  readonly #idle: IdleTimer
  readonly #passages: Passage[] = []
  readonly #cut = Promise.withResolvers<ExitInfo>()
  #reason: EndReason | undefined
  #sent = 0
  #received = 0

  constructor(options: CommandOptions, client: CommandClient) {
    this.#options = options
    this.#client = client
    this.subject = options.log.subject
    options.log.follow(options.shell.programs)
    this.#idle = startIdleTimer(options.idleTimeout, options.now, () => this.end(endReasons.idle(options.idleText)))
    this.ended = this.#run()
  }

  get isRecorded(): boolean {
    return this.#options.log.isRecorded
  }

  /** Ends it at once; output that is still on its way is lost. */
  end(reason: EndReason): void {
    if (this.#reason) return
    this.#reason = reason
    this.#options.shell.destroy()
    this.#cut.resolve({ code: undefined, signal: undefined })
    this.onRecorderDrain()
  }

  onRecorderDrain(): void {
    for (const passage of this.#passages) passage.release()
  }

  onRecordingLost(error: RecordingError): void {
    if (this.#options.mode === 'strict') this.end(endReasons.unrecorded(error.message))
    this.onRecorderDrain()
  }

  async #run(): Promise<void> {
    const { shell, log } = this.#options
    const { input } = this.#client
    shell.on('error', () => undefined) // told by the missing exit
    input.on('data', (bytes: Buffer) => {
      this.#idle.touch()
      this.#received += bytes.length
    })
    input.pipe(shell)
    // Input that nobody takes any more must not hold the client back.
    shell.once('close', () => input.unpipe(shell).resume())
    const over = Promise.all([
      this.#forward(shell, (bytes) => this.#client.output(bytes)),
      shell.stderr && this.#forward(shell.stderr, (bytes) => this.#client.errors(bytes)),
    ]).then(() => shell.exit)
    const exit = await Promise.race([over, this.#cut.promise])
    this.#idle[Symbol.dispose]()
    const reason = this.#reason
    this.#reason ??= { kind: 'exit' }
    if (reason?.kind === 'cut' && reason.disconnected !== undefined)
      log.disconnected(this.subject.user, this.subject.address, reason.disconnected)
    await log.ended({ participants: [this.subject.user], sent: this.#sent, received: this.#received, exit })
    this.#client.close(exit, reason?.kind === 'cut' ? reason.text : lostText(this.subject, exit))
  }

  #forward(source: Readable, write: (bytes: Buffer) => Promise<void>): Promise<void> {
    const passage = new Passage(source, (bytes) => {
      if (this.#reason) return Promise.resolve()
      this.#idle.touch()
      this.#sent += bytes.length
      if (!this.#options.log.output(forTerminal(bytes))) this.#passages.forEach((each) => each.hold())
      return write(bytes)
    })
    this.#passages.push(passage)
    return passage.done
  }
}

const lostText = ({ node }: SessionSubject, { code, signal }: ExitInfo): string | undefined =>
  code === undefined && signal === undefined ? `The connection to ${node.hostname} was lost.` : undefined
