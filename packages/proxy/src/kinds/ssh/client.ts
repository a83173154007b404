import type { Duplex } from 'node:stream'
import { certificateAlgorithms } from '@sallyport/protocols/ssh/certificate.ts'
import { quickenPackets } from '@sallyport/protocols/ssh/quick-packets.ts'
import type { ClientChannel } from 'ssh2'
import { SshChannel } from './channel.ts'
import type { ShellChannel } from './channel.ts'
import { createHostVerifier, plainAlgorithms } from './host-verifier.ts'
import type { HostExpectation } from './host-verifier.ts'
import { SshError } from './ssh-error.ts'
import { certificateAgent, newSshClient } from './ssh2-certificates.ts'
import type { SshIdentity } from './ssh2-certificates.ts'
import { pingServer } from './ssh2-ping.ts'
import { grantWhatIsRead, openWithWindow } from './ssh2-window.ts'

/** GCM first: the fastest here by far, and all that the agent and any OpenSSH of this decade need. */
const ciphers = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com', 'aes256-ctr', 'aes128-ctr'] as const
export const keyExchanges = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group16-sha512',
] as const
export const macs = ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'] as const
const keepaliveInterval = 15_000
const keepaliveMisses = 3
const defaultReadyTimeout = 15_000
/** How long a server may take to close its side after we said goodbye. */
const closeGrace = 2_000

/** Takes one connection of a program to the display, which is opened by `accept`. `origin`: where the program connected from. */
export type ShowOnDisplay = (origin: { host: string; port: number }, accept: () => Duplex, reject: () => void) => void

/** The display that programs of a session find there. */
export interface DisplayWish {
  /** For the first that connects only. */
  readonly single: boolean
  readonly protocol: string
  /** In hex. */
  readonly cookie: string
  readonly screen: number
  /** The server opens the session, but forwards no display. */
  refused(): Promise<void>
}

export interface SshConnectOptions {
  /** An open byte stream to the server; owned by the connection from here on, also when it fails. */
  readonly stream: Duplex
  /** The login on the server. */
  readonly user: string
  readonly identity: SshIdentity
  readonly verifyHost: HostExpectation
  readonly clock: { now(): number }
  /** Opens a way to the agent of the user's keys, for sessions that forward it. */
  readonly openKeyAgent?: () => Promise<Duplex>
  /** Asked only for sessions that wished for a display. */
  readonly showOnDisplay?: ShowOnDisplay
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the handshake and the login together. */
  readonly readyTimeout?: number
}

export interface ShellOptions {
  readonly term: string
  readonly cols: number
  readonly rows: number
  /** The server takes LANG, LC_* and COLORTERM; others are dropped silently. */
  readonly env?: Readonly<Record<string, string>>
  readonly forwardKeyAgent?: boolean
  readonly display?: DisplayWish | undefined
}

export interface ExecOptions {
  readonly pty?: ShellOptions | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly forwardKeyAgent?: boolean | undefined
  readonly display?: DisplayWish | undefined
}

/** From where to where; the server connects to `host`. */
export interface ForwardOptions {
  readonly host: string
  readonly port: number
  readonly originHost: string
  readonly originPort: number
}

export interface SshConnection extends AsyncDisposable {
  /** The user's login shell on a terminal. */
  shell(options: ShellOptions): Promise<ShellChannel>
  /** One command through the login shell, without a terminal unless `pty` is given. */
  exec(command: string, options?: ExecOptions): Promise<ShellChannel>
  /** The login shell without a terminal: it reads commands from its input. */
  pipedShell(options?: Omit<ExecOptions, 'pty'>): Promise<ShellChannel>
  /** A subsystem by name, such as `sftp`. */
  subsystem(name: string): Promise<ShellChannel>
  /** A connection that the server makes to an address as it sees it. */
  forward(options: ForwardOptions): Promise<Duplex>
  /** Milliseconds until the server answers; undefined when the connection ends first. */
  ping(): Promise<number | undefined>
  /** Settles when the connection is gone: with the error that broke it, or undefined after a goodbye. Does not reject. */
  readonly closed: Promise<SshError | undefined>
  /** Says goodbye and waits until the stream is gone. */
  close(): Promise<void>
}

function asSshError(error: Error & { level?: string }, user: string): SshError {
  const options = { cause: error }
  if (error.level === 'client-authentication') {
    return new SshError(
      'login-refused',
      `The server does not let "${user}" in. Check that the login exists there and that the server trusts this cluster.`,
      options,
    )
  }
  if (error.message.includes('no matching host key format')) {
    return new SshError(
      'host-refused',
      'The server showed no host certificate, so it cannot be told from an impostor. Give it one signed by this cluster.',
      options,
    )
  }
  if (error.level === 'handshake')
    return new SshError('host-refused', `The server and this proxy could not agree on a secure connection: ${error.message}.`, options)
  if (error.level === 'client-timeout') return new SshError('timed-out', 'The server does not answer any more.', options)
  return new SshError('connection-lost', `The connection to the server broke: ${error.message}.`, options)
}

/** As the library says it. */
const isDisplayRefusal = (error: unknown): boolean =>
  error instanceof SshError && error.cause instanceof Error && error.cause.message === 'Unable to request X11'

/**
 * Logs in to an SSH server over `stream` with a user certificate, after the server has proved itself with
 * a host certificate. Rejects with SshError, and the stream is destroyed then.
 */
export function connectSsh(options: SshConnectOptions): Promise<SshConnection> {
  const { stream, user, identity, verifyHost, clock, openKeyAgent, showOnDisplay, signal, readyTimeout = defaultReadyTimeout } = options
  const ready = Promise.withResolvers<SshConnection>()
  const closed = Promise.withResolvers<SshError | undefined>()
  const client = newSshClient()
  let failure: SshError | undefined

  const fail = (error: SshError): void => {
    failure ??= error
    stream.destroy()
    ready.reject(failure)
  }
  const cancel = (): void => fail(new SshError('cancelled', 'The connection was cancelled.', { cause: signal?.reason }))
  const timer = setTimeout(
    () => fail(new SshError('timed-out', `The server did not let "${user}" in within ${readyTimeout / 1000} seconds.`)),
    readyTimeout,
  )
  const settle = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
  ready.promise.then(settle, settle)
  if (signal?.aborted) cancel()
  else if (stream.destroyed) fail(new SshError('unreachable', 'The connection was closed before it could be used.'))
  if (failure) return ready.promise
  signal?.addEventListener('abort', cancel, { once: true })

  const refuseHost = (reason: string, cause: unknown): void => {
    failure ??= new SshError('host-refused', `The server's identity was not accepted: ${reason}`, { cause })
  }
  const hostVerifier = createHostVerifier(client, { ...verifyHost, clock }, refuseHost)

  client.on('x11', ({ srcIP, srcPort }, accept, reject) => {
    if (!showOnDisplay) return reject()
    showOnDisplay({ host: srcIP, port: srcPort }, () => new SshChannel(accept()), reject)
  })
  client.on('ready', () => ready.resolve(connection))
  client.on('error', (error) => fail(asSshError(error, user)))
  const onClose = (): void => {
    if (failure === undefined) ready.reject(new SshError('connection-lost', 'The server closed the connection before the login was done.'))
    else ready.reject(failure)
    closed.resolve(failure)
  }
  stream.once('close', onClose)

  const close = async (): Promise<void> => {
    client.end()
    const grace = setTimeout(() => stream.destroy(), closeGrace)
    await closed.promise
    clearTimeout(grace)
  }
  const open = (
    start: (callback: (error: Error | undefined, channel: ClientChannel) => void) => void,
    refused = 'The server did not open a session',
  ): Promise<ShellChannel> =>
    new Promise((resolve, reject) => {
      const refuse = (cause: unknown): void => {
        const reason = cause instanceof Error ? cause.message.replace(/^\(SSH\) Channel open failure: /, '') : 'the connection is closed'
        reject(failure ?? new SshError('channel-refused', `${refused}${reason === '' ? '' : `: ${reason}`}.`, { cause }))
      }
      try {
        start((error, channel) => (error ? refuse(error) : resolve(new SshChannel(channel))))
      } catch (error) {
        refuse(error)
      }
    })
  /** A terminal is read by somebody who may press Ctrl-C: only so much of it is under way. */
  const openTerminal = (start: (callback: (error: Error | undefined, channel: ClientChannel) => void) => void): Promise<ShellChannel> =>
    open((callback) => {
      const isSmaller = openWithWindow(client, () =>
        start((error, channel) => {
          if (!error && isSmaller) grantWhatIsRead(client, channel)
          callback(error, channel)
        }),
      )
    })
  const pty = ({ term, cols, rows }: ShellOptions) => ({ term, cols, rows, width: 0, height: 0 })
  const sessionOptions = ({ env, forwardKeyAgent = false, display }: Omit<ExecOptions, 'pty'>) => {
    // The library asks for it in the first session only, unless it forgets.
    if (forwardKeyAgent) Reflect.set(client, '_agentFwdEnabled', false)
    return {
      env: { ...env },
      agentForward: forwardKeyAgent,
      ...(display && { x11: { single: display.single, protocol: display.protocol, cookie: display.cookie, screen: display.screen } }),
    }
  }
  /** Without a display where the server refuses that. */
  const opened = async <O extends { display?: DisplayWish | undefined }>(
    options: O,
    start: (options: O) => Promise<ShellChannel>,
  ): Promise<ShellChannel> => {
    try {
      return await start(options)
    } catch (error) {
      if (!options.display || !isDisplayRefusal(error)) throw error
      await options.display.refused()
      return start({ ...options, display: undefined })
    }
  }
  const connection: SshConnection = {
    shell: (options) =>
      opened(options, ({ env, forwardKeyAgent, display, ...terminal }) =>
        openTerminal((callback) => client.shell(pty(terminal), sessionOptions({ env, forwardKeyAgent, display }), callback)),
      ),
    pipedShell: (options = {}) => opened(options, (piped) => open((callback) => client.shell(false, sessionOptions(piped), callback))),
    exec: (command, options = {}) =>
      opened(options, ({ pty: terminal, ...exec }) =>
        open((callback) => client.exec(command, { ...sessionOptions(exec), ...(terminal && { pty: pty(terminal) }) }, callback)),
      ),
    subsystem: (name) => open((callback) => client.subsys(name, callback)),
    forward: ({ host, port, originHost, originPort }) =>
      open(
        (callback) => client.forwardOut(originHost, originPort, host, port, callback),
        `${host}:${port} cannot be reached from the server`,
      ),
    ping: () => (stream.destroyed ? Promise.resolve(undefined) : pingServer(client)),
    closed: closed.promise,
    close,
    [Symbol.asyncDispose]: close,
  }

  client.connect({
    sock: stream,
    username: user,
    agent: certificateAgent(identity, openKeyAgent),
    authHandler: ['agent'],
    hostVerifier,
    readyTimeout: 0,
    keepaliveInterval,
    keepaliveCountMax: keepaliveMisses,
    algorithms: {
      cipher: [...ciphers],
      kex: [...keyExchanges],
      hmac: [...macs],
      compress: ['none'],
      // @ts-expect-error -- the type lists what stock ssh2 knows. Certificates first; bare keys only where they may count.
      serverHostKey: [...certificateAlgorithms, ...plainAlgorithms(verifyHost.plain?.types ?? [])],
    },
  })
  quickenPackets(client)
  return ready.promise
}
