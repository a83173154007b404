/** Mail over SMTP. The address is checked after it was resolved, and without TLS nothing goes to another machine. */
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import type { MailTls } from '@sallyport/wire/entities/plugin.ts'
import { checkedLookup } from '../sso/outbound.ts'
import { DeliveryError, unauthorized, unknownRecipient } from './delivery-error.ts'
import type { Messenger, Notice } from './messenger.ts'
import { isOnThisMachine } from './plugin.ts'

export interface MailServer {
  host: string
  port: number
  tls: MailTls
  username: string
  password: string
  from: string
  ca_cert: string
}

const patience = 10_000
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
const replyOf = (error: unknown): number =>
  error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300)

/** `domain`: of this cluster, as the part of message ids behind the @. */
export function createMail(server: MailServer, domain: string): Messenger {
  const { host, port, tls, username, password, from, ca_cert: ca } = server
  const where = `${host}:${port}`
  const transport = createTransport({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    name: domain,
    ...(username !== '' && { auth: { user: username, pass: password } }),
    tls: { minVersion: 'TLSv1.2', ...(ca !== '' && { ca }) },
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options, done) => dial(host, port, done),
  })
  const refused = (error: unknown, recipient: string): DeliveryError => {
    const words = wordsOf(error)
    const reply = replyOf(error)
    if (codeOf(error) === 'EAUTH')
      return unauthorized(`The mail server ${where} refuses user name or password: ${words}. Give those that count now.`, error)
    if (codeOf(error) === 'EENVELOPE' && reply >= 500 && reply < 600)
      return unknownRecipient(`The mail server ${where} takes no mail from ${from} to ${recipient}: ${words}. Check both addresses.`, error)
    return new DeliveryError(`The mail server ${where} could not be used: ${words}. Check host, port and kind of TLS.`, { cause: error })
  }
  async function send(recipient: string, notice: Notice, after: string | undefined, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted()
    const messageId = idOf(notice.key, recipient, domain)
    const sent = transport.sendMail({
      from,
      to: recipient,
      subject: notice.title,
      text: textOf(notice),
      messageId,
      // No holiday message comes back.
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(after !== undefined && { inReplyTo: after, references: after }),
    })
    await orAborted(sent, signal).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason
      throw refused(error, recipient)
    })
    return messageId
  }
  return {
    async check(signal) {
      signal.throwIfAborted()
      await orAborted(transport.verify(), signal).catch((error: unknown) => {
        if (signal.aborted) throw signal.reason
        throw refused(error, from)
      })
    },
    post: (recipient, notice, signal) => send(recipient, notice, undefined, signal),
    // Sent mail cannot be changed: one that follows stands in the same thread.
    async revise(recipient, handle, notice, signal) {
      await send(recipient, notice, handle, signal)
      return handle
    },
  }
}

type Dialled = (error: Error | null, result?: { connection: Socket }) => void

/** Where a name leads is judged after it was resolved. */
function dial(host: string, port: number, done: Dialled): void {
  const socket = connect({ host, port, lookup: checkedLookup(isOnThisMachine(host)), timeout: patience })
  const giveUp = (): void => void socket.destroy(new Error(`no connection within ${patience / 1000} seconds`))
  const fail = (error: Error): void => done(error)
  socket.once('timeout', giveUp).once('error', fail)
  socket.once('connect', () => {
    socket.off('timeout', giveUp).setTimeout(0)
    // From here on the library hears of errors; this is for one that comes before it listens.
    socket.off('error', fail).on('error', () => undefined)
    done(null, { connection: socket })
  })
}

/** The library knows no signals; what it does ends by its own limits. For a signal that has not aborted yet. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}

/** The same for the same news: a server that got it twice can tell. */
const idOf = (key: string, recipient: string, domain: string): string =>
  `<${createHash('sha256').update(`${key} ${recipient}`).digest('hex').slice(0, 32)}@${domain}>`

function textOf({ title, facts, link }: Notice): string {
  const width = Math.max(0, ...facts.map(({ label }) => label.length)) + 2
  const lines = facts.map(({ label, value }) => `${`${label}:`.padEnd(width)}${value.replaceAll(/\r?\n/g, `\n${' '.repeat(width)}`)}`)
  return [
    title,
    '',
    ...lines,
    '',
    link,
    '',
    '-- ',
    'Sallyport tells you because you may decide, or have asked. Nobody reads answers to this mail.',
    '',
  ].join('\n')
}
