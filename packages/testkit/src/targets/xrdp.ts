/** A desktop: xrdp with TLS in front of an X server of its own, on which a terminal fills the screen. */
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { requireProgram, whyNoProgram } from './programs.ts'
import { answers, displayOf, runGroup } from './x-programs.ts'
import type { Running } from './x-programs.ts'

export interface DesktopServer extends AsyncDisposable {
  readonly port: number
  /** Of the only account. */
  readonly password: string
  /** The X server behind it. */
  readonly display: string
  /** Replaces the certificate, which the next connection sees. */
  renewCertificate(): Promise<void>
  kill(): Promise<void>
}

export const whyNoXrdp = (): string | undefined =>
  whyNoProgram('xrdp') ?? whyNoProgram('Xvnc') ?? whyNoProgram('xterm') ?? whyNoProgram('vncpasswd')

/** Throws when a program is missing: ask `whyNoXrdp` first. `command` runs in the terminal, a bare shell when left out. */
export async function startXrdp({ command = ['sh'] }: { command?: readonly string[] } = {}): Promise<DesktopServer> {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-xrdp-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const password = 'Lpwd4242'
  const vnc = await startXvnc(folder, password)
  started.use(vnc.process)
  const terminal = runGroup('xterm', ['-geometry', '160x60+0+0', '-fa', 'Monospace', '-fs', '10', '-e', ...command], {
    env: { PATH: process.env['PATH'], HOME: folder, DISPLAY: vnc.display, PS1: '$ ' },
  })
  started.use(terminal)
  await makeCertificate(folder)
  const port = await freePort()
  await writeConfig(folder, port, vnc.port)
  let server = await startServer(folder, port)
  started.defer(() => server[Symbol.asyncDispose]())
  const all = started.move()
  return {
    port,
    password,
    display: vnc.display,
    async renewCertificate() {
      await server[Symbol.asyncDispose]()
      await makeCertificate(folder)
      server = await startServer(folder, port)
    },
    async kill() {
      await server[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function startXvnc(folder: string, password: string): Promise<{ process: Running; display: string; port: number }> {
  const passwordFile = join(folder, 'vnc-password')
  await writeFile(passwordFile, spawnSync(requireProgram('vncpasswd'), ['-f'], { input: `${password}\n` }).stdout)
  const port = await freePort()
  const options = ['-displayfd', '3', '-rfbport', String(port), '-localhost', '-PasswordFile', passwordFile]
  const process = runGroup('Xvnc', [...options, '-SecurityTypes', 'VncAuth', '-geometry', '1024x700', '-depth', '24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  return { process, port, display: await displayOf(process) }
}

async function makeCertificate(folder: string): Promise<void> {
  const made = spawnSync(
    requireProgram('openssl'),
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '30',
      '-subj',
      '/CN=desktop',
      '-keyout',
      join(folder, 'key.pem'),
      '-out',
      join(folder, 'cert.pem'),
    ],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`openssl failed: ${made.stderr}`)
}

async function writeConfig(folder: string, port: number, vncPort: number): Promise<void> {
  await cp('/etc/xrdp', join(folder, 'xrdp'), {
    recursive: true,
    filter: (path) => !path.endsWith('key.pem') && !path.endsWith('cert.pem'),
  })
  const ini = [
    '[Globals]',
    'ini_version=1',
    'fork=true',
    `port=tcp://.:${port}`,
    'tcp_nodelay=true',
    'security_layer=tls',
    `certificate=${join(folder, 'cert.pem')}`,
    `key_file=${join(folder, 'key.pem')}`,
    'ssl_protocols=TLSv1.2, TLSv1.3',
    'autorun=screen',
    'allow_channels=true',
    'bitmap_cache=true',
    'bitmap_compression=true',
    'bulk_compression=false',
    'max_bpp=32',
    'use_fastpath=both',
    '[Logging]',
    `LogFile=${join(folder, 'xrdp.log')}`,
    'LogLevel=DEBUG',
    'EnableSyslog=false',
    '[Channels]',
    'cliprdr=true',
    '[screen]',
    'name=screen',
    'lib=libvnc.so',
    'ip=127.0.0.1',
    `port=${vncPort}`,
    'username=ask',
    'password=ask',
    '',
  ]
  await writeFile(join(folder, 'xrdp', 'xrdp.ini'), ini.join('\n'))
}

async function startServer(folder: string, port: number): Promise<Running> {
  const server = runGroup('xrdp', ['-n', '-c', join(folder, 'xrdp', 'xrdp.ini')], {})
  await answers(port, server)
  return server
}
