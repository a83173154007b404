/** A person in a live session. The sink is their screen; the membership is their keyboard. */
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import type { TransferWish } from './file-transfer-approvals.ts'
import type { Seat } from './seats.ts'

/** Events that the parties of a session are told. */
export type PartyEvent = Readonly<Record<string, unknown>> & { readonly event: string }

export interface PartySink {
  /** They are in, before anything else comes. */
  welcome(seat: Seat): void
  /** Output of the shell. When too much of it waits to be sent, the sink says so through `Membership.stall`. */
  output(bytes: Buffer): void
  event(event: PartyEvent): void
  /** Somebody came or went; the session may go on or wait because of it. */
  peopleChanged?(): void
  /** A line of the proxy's own. */
  notice(text: string): void
  /** Bytes that bring a terminal into the state in which the output goes on; they are no output themselves. */
  restore(bytes: Buffer): void
  /** Input is taken again after `Membership.input` returned false. */
  resumeInput(): void
  /** The end: after a clean exit of the shell, or cut off. Nothing is called afterwards. */
  close(how: 'exit' | 'cut'): void
}

export interface Attendee {
  readonly user: string
  readonly roles?: readonly string[]
  readonly traits?: Readonly<Record<string, readonly string[]>>
  /** `ip:port`. */
  readonly address: string
  readonly mode: ParticipantMode
  /** Id of their web session: only from there somebody comes back to their seat. */
  readonly webSession?: string
  /** Aborts when their web session ends. */
  readonly signal: AbortSignal
  /** Columns and rows of their window. */
  readonly size?: { readonly columns: number; readonly rows: number }
  /** Given when they proved who they are and have to go on proving it: asks them, and rejects when they do not answer as they should. */
  readonly prove?: () => Promise<unknown>
  readonly sink: PartySink
}

/** Somebody who was in the session already, and what their screen has of it. */
export interface Return {
  readonly token: string
  /** Place in the session's output up to which they have it. */
  readonly offset: number
}

/** How somebody left: in good order, or because their connection broke. */
export type LeaveReason = 'left' | 'dropped'

export interface Membership {
  readonly id: string
  /** Keystrokes. False: take no more until the sink's `resumeInput`. */
  input(bytes: Buffer): boolean
  resize(columns: number, rows: number): void
  /** Whether the sink is full: nobody gets output while it is, unless it takes too long. */
  stall(isFull: boolean): void
  /** Asks the moderators for leave to move a file; nothing happens in a session without them. */
  requestTransfer(wish: TransferWish): void
  decideTransfer(requestId: string, isApproved: boolean): void
  /** The browser is gone. */
  leave(how?: LeaveReason): void
  /** Puts the party out, tells them why, and writes it down. */
  disconnect(reason: string): void
}
