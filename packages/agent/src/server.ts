import type { KeyObject } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { CertifiedHostKey, findParsedKeySymbol, presentHostCertificate } from '@sallyport/protocols/ssh/certified-host-key.ts'
import type { HostIdentity } from '@sallyport/protocols/ssh/certified-host-key.ts'
import { quickenPackets } from '@sallyport/protocols/ssh/quick-packets.ts'
import type { AuthContext, Connection, X11Info } from 'ssh2'
import ssh2 from 'ssh2'
import { authenticate } from './authentication.ts'
import type { Admission } from './authentication.ts'
import { offerDisplay } from './display.ts'
import { offerKeyAgent } from './key-agent.ts'
import type { AgentLog } from './log.ts'
import { forwardPort } from './port-forward.ts'
import { createProgramWatches } from './programs/program-watches.ts'
import type { ProgramWatch } from './programs/program-watches.ts'
import { serveSession } from './session.ts'
import type { RunningShell } from './shell.ts'

const loginGrace = 20_000
/** How long a client may take to go when we are done with it. */
const lingerTime = 1_000
const maxAttempts = 6
/** At a time, on one connection. One that is watched has a second channel for that. */
const maxSessions = 128
const parsedKeySymbol = findParsedKeySymbol(ssh2.utils.parseKey)

export interface SshServerOptions {
  /** Asked at each connection, so that renewed certificates are used; the key's type stays the same. */
  readonly identity: () => HostIdentity
  /** The keys of the user authority that count now. */
  readonly userCa: () => readonly KeyObject[]
  readonly clock: { now(): number }
  readonly log: AgentLog
  readonly version: string
  /** Set in every session. */
  readonly environment: Readonly<Record<string, string>>
}

export interface SshServer extends AsyncDisposable {
  /** Serves one client on a stream that was dialled to us. `address`: where it comes from, if that is known. */
  accept(stream: Duplex, address?: string): void
}

interface Arrival {
  readonly address: string | undefined
  /** Runs out unless the client signs in. */
  readonly grace: NodeJS.Timeout
}

/** ssh2 stops reading when it gives up on a client, and would never learn that the client is gone. */
function linger(stream: Duplex): void {
  const timer = setTimeout(() => stream.destroy(), lingerTime)
  stream.once('close', () => clearTimeout(timer))
}

/** The SSH server of this machine: certificates of the user authority only; sessions, and ports where the certificate allows them. */
export function createSshServer({ identity, userCa, clock, log, version, environment }: SshServerOptions): SshServer {
  const streams = new Map<Duplex, Arrival>()
  const shells = new Set<RunningShell>()
  const watches = createProgramWatches(log)

  const serve = (connection: Connection, stream: Duplex, { address, grace }: Arrival): void => {
    let admission: Admission | undefined
    let attempts = 0
    let sessions = 0
    const own = new Set<RunningShell>()
    const opened = new Map<string, ProgramWatch>()

    const decide = async (request: AuthContext): Promise<void> => {
      if (++attempts > maxAttempts) return void connection.end()
      try {
        const outcome = await authenticate(request, { userCa, now: clock.now(), address })
        if (outcome !== 'probe') admission = outcome
        request.accept()
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        // Clients begin with an attempt without any key to learn what is offered; that is no event.
        if (request.method !== 'none') log.warn({ login: request.username, address, reason }, 'a login was refused')
        request.reject(['publickey'])
      }
    }

    presentHostCertificate(connection, identity(), parsedKeySymbol)
    quickenPackets(connection)
    connection.on('authentication', (request) => void decide(request))
    connection.on('ready', () => {
      clearTimeout(grace)
      if (!admission) return void connection.end()
      const { account, certificate } = admission
      log.info({ login: account.name, keyId: certificate.keyId, serial: String(certificate.serial) }, 'logged in')
      const grant = {
        account,
        mayUseTerminal: certificate.extensions.has('permit-pty'),
        forcedCommand: certificate.criticalOptions.get('force-command'),
        openKeyAgent: certificate.extensions.has('permit-agent-forwarding') ? () => offerKeyAgent(connection, account) : undefined,
        openDisplay: certificate.extensions.has('permit-X11-forwarding')
          ? (wish: X11Info) => offerDisplay(connection, account, wish)
          : undefined,
      }
      if (certificate.extensions.has('permit-port-forwarding')) connection.on('tcpip', forwardPort)
      connection.on('session', (accept, reject) => {
        if (sessions >= maxSessions) return reject()
        sessions += 1
        const session = accept()
        session.once('close', () => (sessions -= 1))
        serveSession(session, grant, { log, environment, watches, opened }, (shell) => {
          shells.add(shell)
          own.add(shell)
        })
      })
    })
    connection.on('error', (error) => {
      log.debug({ err: error }, 'an SSH connection broke')
      linger(stream)
    })
    stream.once('close', () => {
      for (const shell of own) void shell.end().then(() => shells.delete(shell))
    })
  }

  const server = new ssh2.Server({
    // @ts-expect-error -- the type knows key files only; ssh2 takes parsed keys as well.
    hostKeys: [{ key: new CertifiedHostKey(identity(), parsedKeySymbol) }],
    ident: `Sallyport_${version}`,
    algorithms: { compress: ['none'] },
  })
  server.on('connection', (connection: Connection) => {
    const stream: Duplex = Reflect.get(connection, '_sock')
    const arrival = streams.get(stream)
    try {
      if (arrival) serve(connection, stream, arrival)
    } catch (error) {
      log.error({ err: error }, 'an SSH connection could not be served')
      stream.destroy()
    }
  })

  const close = async (): Promise<void> => {
    await Promise.all([...shells].map((shell) => shell.end()))
    for (const stream of streams.keys()) stream.destroy()
    await watches[Symbol.asyncDispose]()
  }
  return {
    accept(stream, address) {
      const grace = setTimeout(() => {
        log.warn({ address }, 'a client did not sign in in time')
        stream.destroy()
      }, loginGrace)
      streams.set(stream, { address, grace })
      stream.once('finish', () => linger(stream))
      stream.once('end', () => linger(stream))
      stream.once('close', () => {
        clearTimeout(grace)
        streams.delete(stream)
      })
      // @ts-expect-error -- any duplex stream will do, not only a socket.
      server.injectSocket(stream)
    },
    [Symbol.asyncDispose]: close,
  }
}
