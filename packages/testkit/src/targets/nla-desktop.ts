/** A desktop that asks for network level authentication: FreeRDP's server shows an X server with a terminal. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { requireProgram, whyNoProgram } from './programs.ts'
import { answers, displayOf, runGroup } from './x-programs.ts'

export interface NlaDesktop extends AsyncDisposable {
  readonly port: number
  readonly user: string
  readonly password: string
}

export const whyNoNlaDesktop = (): string | undefined =>
  whyNoProgram('freerdp-shadow-cli') ?? whyNoProgram('winpr-hash') ?? whyNoProgram('Xvfb') ?? whyNoProgram('xterm')

/** Throws when a program is missing: ask `whyNoNlaDesktop` first. */
export async function startNlaDesktop(): Promise<NlaDesktop> {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-nla-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const [user, password] = ['lucy', 'Öl & Essig 42']
  const screen = runGroup('Xvfb', ['-displayfd', '3', '-screen', '0', '800x600x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  started.use(screen)
  const display = await displayOf(screen)
  const env = { PATH: process.env['PATH'], HOME: folder, DISPLAY: display, PS1: '$ ' }
  started.use(runGroup('xterm', ['-geometry', '80x24+0+0', '-e', 'sh'], { env }))
  const sam = join(folder, 'sam')
  await writeFile(sam, spawnSync(requireProgram('winpr-hash'), ['-u', user, '-p', password, '-f', 'sam']).stdout)
  const port = await freePort()
  const server = runGroup('freerdp-shadow-cli', [`/port:${port}`, '/bind-address:127.0.0.1', '/sec:nla', `/sam-file:${sam}`], { env })
  started.use(server)
  await answers(port, server)
  const all = started.move()
  return { port, user, password, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
