/** A real dropbear on a loopback port: an SSH server that knows no certificates. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { requireProgram } from './programs.ts'

export interface Dropbear extends AsyncDisposable {
  readonly host: string
  readonly port: number
}

/** Throws when it is not installed: ask whyNoProgram('dropbear') first. */
export async function startDropbear(): Promise<Dropbear> {
  const program = requireProgram('dropbear')
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-dropbear-'))
  const key = join(folder, 'host')
  const made = spawnSync(requireProgram('dropbearkey'), ['-t', 'ed25519', '-f', key], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`dropbearkey failed: ${made.stderr}`)
  const port = await freePort()
  // In the foreground, its log on stderr, no passwords.
  const server = spawn(program, ['-F', '-E', '-s', '-r', key, '-P', join(folder, 'pid'), '-p', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let log = ''
    server.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes('Not backgrounding')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`dropbear ended at its start: ${log}`)))
  })
  return {
    host: '127.0.0.1',
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
