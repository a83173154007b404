/** A desktop: xrdp with TLS in front of an X server of its own, on which a terminal fills the screen. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
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
  /** Where the directories that are shared with it appear. */
  readonly drives: string
  /** Replaces the certificate, which the next connection sees. */
  renewCertificate(): Promise<void>
  kill(): Promise<void>
}

export interface XrdpOptions {
  command?: readonly string[]
  /** Directories can be shared with it: ask `whyNoDrives` first. */
  withDrives?: boolean
}

export const whyNoXrdp = (): string | undefined =>
  whyNoProgram('xrdp') ?? whyNoProgram('Xvnc') ?? whyNoProgram('xterm') ?? whyNoProgram('vncpasswd')

/** Its program for channels mounts file systems, which the machine must let it. */
export function whyNoDrives(): string | undefined {
  const why = whyNoXrdp() ?? whyNoProgram('xrdp-chansrv')
  if (why !== undefined) return why
  if (process.getuid?.() !== 0) return 'only root may mount file systems'
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK)
    return undefined
  } catch {
    return 'there is no /dev/fuse'
  }
}

/** Throws when a program is missing: ask `whyNoXrdp` first. `command` runs in the terminal, a bare shell when left out. */
export async function startXrdp({ command = ['sh'], withDrives = false }: XrdpOptions = {}): Promise<DesktopServer> {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-xrdp-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const password = 'Lpwd4242'
  const vnc = await startXvnc(folder, password)
  started.use(vnc.process)
  // Larger than any screen, whatever the font: what no window covers is black.
  const terminal = runGroup('xterm', ['-geometry', '300x120+0+0', '-fa', 'Monospace', '-fs', '10', '-e', ...command], {
    env: { PATH: process.env['PATH'], HOME: folder, DISPLAY: vnc.display, PS1: '$ ' },
  })
  started.use(terminal)
  await makeCertificate(folder)
  const port = await freePort()
  const drives = join(folder, 'thinclient_drives')
  if (withDrives) started.use(await startChannels(folder, vnc.display, drives))
  await writeConfig(folder, port, vnc.port, withDrives ? [`chansrvport=DISPLAY(${vnc.display.slice(1)})`] : [])
  let server = await startServer(folder, port)
  started.defer(() => server[Symbol.asyncDispose]())
  const all = started.move()
  return {
    port,
    password,
    display: vnc.display,
    drives,
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

/** Where xrdp's programs look for each other, whatever their settings say. */
const socketFolder = '/run/xrdp/sockdir'

async function startChannels(folder: string, display: string, drives: string): Promise<AsyncDisposable> {
  await mkdir(socketFolder, { recursive: true })
  const env = { PATH: process.env['PATH'], HOME: folder, DISPLAY: display, CHANSRV_LOG_PATH: folder }
  const running = runGroup('xrdp-chansrv', [], { env })
  return {
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      spawnSync('umount', ['-l', drives])
      for (const name of ['xrdp_chansrv_socket', 'xrdpapi']) await rm(join(socketFolder, `${name}_${display.slice(1)}`), { force: true })
    },
  }
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

async function writeConfig(folder: string, port: number, vncPort: number, channels: readonly string[]): Promise<void> {
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
    'rdpdr=true',
    'rdpsnd=true',
    '[screen]',
    'name=screen',
    'lib=libvnc.so',
    'ip=127.0.0.1',
    `port=${vncPort}`,
    'username=ask',
    'password=ask',
    ...channels,
    '',
  ]
  await writeFile(join(folder, 'xrdp', 'xrdp.ini'), ini.join('\n'))
}

async function startServer(folder: string, port: number): Promise<Running> {
  const server = runGroup('xrdp', ['-n', '-c', join(folder, 'xrdp', 'xrdp.ini')], {})
  await answers(port, server)
  return server
}
