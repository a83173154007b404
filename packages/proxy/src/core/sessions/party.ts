/** A person in a live session. The sink is their screen; the membership is their keyboard. */
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'

/** Events that every other party of a session is told. */
export type PartyEvent = Readonly<Record<string, unknown>> & { readonly event: string }

export interface PartySink {
  /** Output of the shell. When too much of it waits to be sent, the sink says so through `Membership.stall`. */
  output(bytes: Buffer): void
  event(event: PartyEvent): void
  /** A line of the proxy's own. */
  notice(text: string): void
  /** Input is taken again after `Membership.input` returned false. */
  resumeInput(): void
  /** The end: after a clean exit of the shell, or cut off. Nothing is called afterwards. */
  close(how: 'exit' | 'cut'): void
}

export interface Attendee {
  readonly user: string
  /** `ip:port`. */
  readonly address: string
  readonly mode: ParticipantMode
  /** Aborts when their web session ends. */
  readonly signal: AbortSignal
  readonly sink: PartySink
}

export interface Membership {
  readonly id: string
  /** Keystrokes. False: take no more until the sink's `resumeInput`. */
  input(bytes: Buffer): boolean
  resize(columns: number, rows: number): void
  /** Whether the sink is full: nobody gets output while it is, unless it takes too long. */
  stall(isFull: boolean): void
  /** The browser is gone. */
  leave(): void
  /** Puts the party out, tells them why, and writes it down. */
  disconnect(reason: string): void
}
