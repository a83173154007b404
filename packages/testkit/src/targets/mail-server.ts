/** A real Exim on loopback: it offers TLS, takes mail from whoever shows the password over it, and puts it into a directory. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'
import { freePort } from './free-port.ts'
import { requireProgram } from './programs.ts'

export interface ReceivedMail {
  to: string
  subject: string
  /** By lower-case names, without folds. */
  headers: ReadonlyMap<string, string>
  text: string
}

export interface MailServer extends AsyncDisposable {
  readonly host: string
  /** With STARTTLS, and with TLS from the start. */
  readonly port: number
  readonly tlsPort: number
  readonly username: string
  readonly password: string
  /** Who signed its certificate, PEM. */
  readonly ca: string
  /** Oldest first. */
  received(): Promise<ReceivedMail[]>
}

const username = 'sallyport'
const password = 'correct horse'
/** Whom it takes no mail for. */
export const refusedRecipient = 'nobody@mail.test'

const configuration = (folder: string, port: number, tlsPort: number, group: number): string => `
primary_hostname = mail.test
admin_groups = ${group}
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port} : ${tlsPort}
tls_on_connect_ports = ${tlsPort}
tls_advertise_hosts = *
tls_certificate = ${join(folder, 'cert.pem')}
tls_privatekey = ${join(folder, 'key.pem')}
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
spool_directory = ${join(folder, 'spool')}
log_file_path = ${join(folder, 'log', '%slog')}
pid_file_path = ${join(folder, 'pid')}
deliver_drop_privilege = true
check_spool_space = 0
rfc1413_query_timeout = 0s
keep_environment =
acl_smtp_rcpt = rcpt
begin acl
rcpt:
  deny message = relay not permitted
    !authenticated = *
  deny message = no such mailbox
    condition = \${if eq{$local_part@$domain}{${refusedRecipient}}}
  accept
begin routers
all:
  driver = accept
  transport = directory
begin transports
directory:
  driver = appendfile
  maildir_format
  directory = ${join(folder, 'mail')}
  create_directory
  envelope_to_add
  no_mode_fail_narrower
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${username}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
`

/** Throws when it is not installed: ask whyNoProgram('exim4') first. */
export async function startMailServer(): Promise<MailServer> {
  const program = requireProgram('exim4')
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-mail-'))
  const [port, tlsPort] = [await freePort(), await freePort()]
  const { caFile } = await makeCertificate(folder, { names: ['localhost'], addresses: ['127.0.0.1'] })
  const config = join(folder, 'exim.conf')
  for (const name of ['log', 'mail', 'spool']) await mkdir(join(folder, name))
  // As root it looks for the user that Debian's package makes.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined
  await writeFile(config, configuration(folder, port, tlsPort, owner?.gid ?? process.getgid?.() ?? 0))
  if (owner) for (const name of ['.', ...(await readdir(folder))]) await chown(join(folder, name), owner.uid, owner.gid)
  const server = spawn(program, ['-bdf', '-C', config], {
    ...owner,
    cwd: folder,
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let said = ''
  server.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await untilLogged(join(folder, 'log'), 'listening for SMTP', () =>
    once(server, 'exit').then(() => Promise.reject(new Error(`exim4 ended at its start: ${said}`))),
  )
  const inbox = join(folder, 'mail', 'new')
  return {
    host: 'localhost',
    port,
    tlsPort,
    username,
    password,
    ca: await readFile(caFile, 'utf8'),
    async received() {
      const files = await readdir(inbox).catch(() => []) // nothing has come yet
      const mails = await Promise.all(files.toSorted().map((file) => readFile(join(inbox, file), 'utf8')))
      return mails.map(parseMail)
    },
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      // With those that end a connection: they would write their log into what is removed. Nothing of it is needed any more.
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const idOf = (flag: '-u' | '-g'): number => Number(spawnSync('id', [flag, 'Debian-exim'], { encoding: 'utf8' }).stdout)

async function untilLogged(directory: string, words: string, orFail: () => Promise<never>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = async (): Promise<void> => {
    const log = await readFile(join(directory, 'mainlog'), 'utf8').catch(() => '') // not begun yet
    if (log.includes(words)) resolve()
  }
  const watcher = watch(directory, () => void look())
  try {
    await Promise.race([promise, orFail(), look().then(() => promise)])
  } finally {
    watcher.close()
  }
}

function parseMail(raw: string): ReceivedMail {
  const [head = '', ...rest] = raw.replaceAll('\r\n', '\n').split('\n\n')
  const lines = head.replaceAll(/\n[ \t]+/g, ' ').split('\n')
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const body = rest.join('\n\n')
  const isQuoted = headers.get('content-transfer-encoding') === 'quoted-printable'
  const text = isQuoted ? unquoted(body) : body
  return { to: headers.get('to') ?? '', subject: headers.get('subject') ?? '', headers, text }
}

const unquoted = (text: string): string =>
  Buffer.from(
    text.replaceAll('=\n', '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
