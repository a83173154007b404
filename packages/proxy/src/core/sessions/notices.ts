/** What a session tells the people in it, in one line each. Names are of other people's making. */
import { durationInWords } from '@sallyport/wire/entities/duration-in-words.ts'

/** Text that cannot move the cursor, hide itself or turn its neighbours around. */
export const plainName = (name: string): string =>
  name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).slice(0, 255)

export const notices = {
  idle: (left: number) => `Nobody has typed anything for a while: this session ends in ${durationInWords(Math.max(left, 1000))}.`,
  joined: (user: string, mode: string) => `${plainName(user)} joined the session as ${mode}.`,
  back: (user: string) => `${plainName(user)} is back.`,
  left: (user: string) => `${plainName(user)} left the session.`,
  dropped: (user: string) => `${plainName(user)} lost the connection.`,
  waiting: (missing: string) => `This session is moderated and waits for people: ${missing}. What you type is not sent.`,
  started: 'Everybody who is needed is here: the session begins.',
  paused: (missing: string) => `The session is paused, for it waits for people: ${missing}. What you type is not sent.`,
  resumed: 'Everybody who is needed is here again: the session goes on.',
  moderator: 'You moderate this session: press t to end it for everybody, Ctrl-C to leave it.',
  observer: 'You watch this session: press Ctrl-C to leave it.',
  lacksModerators: 'The session is closed: somebody who is needed in it left.',
  terminated: (moderator: string) => `The session is closed: ${plainName(moderator)} ended it.`,
  removed: (by: string) => `You were removed from the session by ${plainName(by)}.`,
} as const
