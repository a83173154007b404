/**
 * What passes between a client and a server, as far as it has to be understood: which command an answer belongs to, and that
 * it is an answer. Nothing is changed, and little of a long message is held.
 */
import { ProtocolError } from '../protocol-error.ts'
import { AnswerReader, readPrepared } from './answers.ts'
import type { AnswerKind } from './answers.ts'
import { fullLength, PacketWatch } from './packets.ts'
import type { Packet, PassingPacket } from './packets.ts'

export interface Prepared {
  statement: number
  parameters: number
}

interface Pending {
  answer: AnswerReader
  /** Number of the first packet of the answer. */
  begins: number
}

/** Commands that are sent before the first of them is answered. */
const mostPending = 10_000
/** As much as the longest part of an answer that is looked at. */
const answerHead = 32
const commandHead = 64 * 1024

export class Conversation {
  readonly #pending: Pending[] = []
  readonly #fromClient: PacketWatch
  readonly #fromServer: PacketWatch
  readonly #onPrepared: (prepared: Prepared) => void
  #commands: PassingPacket[] = []
  #idle: (() => void)[] = []
  /** The command that went last, if it is answered. */
  #last: Pending | undefined
  /** Whose answer is under way. */
  #begun: Pending | undefined

  constructor(onPrepared: (prepared: Prepared) => void) {
    this.#onPrepared = onPrepared
    this.#fromClient = new PacketWatch(
      commandHead,
      (packet) => {
        this.#commands.push(packet)
        this.#awaitCommand(packet)
      },
      (packet) => {
        if (this.#last) this.#last.begins = (packet.sequence + 1) & 0xff
        this.#awaitCommand(packet)
      },
    )
    this.#fromServer = new PacketWatch(answerHead, (packet) => this.#takeAnswer(packet))
    this.#fromServer.next = undefined
  }

  /** No answer is waited for, and none is under way. */
  get isIdle(): boolean {
    return this.#pending.length === 0 && this.#fromServer.isBetween
  }
  /** Number of the packet in which something may be said in the server's place; undefined in the middle of one. */
  get place(): number | undefined {
    if (!this.#fromServer.isBetween) return undefined
    return this.#fromServer.next ?? this.#pending[0]?.begins ?? 1
  }
  whenIdle(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((resolve) => void this.#idle.push(resolve))
  }

  /** What a client says: the commands that begin in it, and what may go on once they have been seen to. Throws ProtocolError. */
  fromClient(chunk: Buffer): { commands: PassingPacket[]; bytes: Buffer } {
    this.#commands = []
    const bytes = this.#fromClient.push(chunk)
    return { commands: this.#commands, bytes }
  }

  /** A command goes to the server. Throws ProtocolError when too many are unanswered. */
  sent(answer: AnswerKind): void {
    this.#last = undefined
    if (answer === 'none') return
    if (this.#pending.length >= mostPending) throw new ProtocolError('too-many', 'too many commands wait for their answers')
    this.#last = { answer: new AnswerReader(answer), begins: 1 }
    this.#pending.push(this.#last)
  }

  /** What a server says: what may go on of it. Throws ProtocolError. */
  fromServer(chunk: Buffer): Buffer {
    const bytes = this.#fromServer.push(chunk)
    if (this.#idle.length > 0 && this.isIdle) for (const resolve of this.#idle.splice(0)) resolve()
    return bytes
  }

  /** Whatever a client says is a command, or more of the one that is under way: nothing else can be read as one. */
  #awaitCommand({ length }: Pick<Packet, 'length'>): void {
    if (length < fullLength) this.#fromClient.next = 0
  }

  #takeAnswer(packet: Packet): void {
    const pending = this.#pending[0]
    if (!pending) {
      // Its last word, when it ends a connection by itself.
      if (packet.body[0] === 0xff) return
      throw new ProtocolError('unasked', 'the database answers what nobody asked')
    }
    if (this.#begun !== pending && packet.sequence !== pending.begins)
      throw new ProtocolError('bad-sequence', `an answer begins with the number ${packet.sequence} in place of ${pending.begins}`)
    this.#begun = pending
    if (pending.answer.take(packet) === 'prepared') this.#onPrepared(readPrepared(packet.body))
    if (!pending.answer.isOver) return
    this.#pending.shift()
    this.#begun = undefined
    this.#fromServer.next = undefined
  }
}
