/** The limit that a proxy is held against: OpenSSH's own client with a forced terminal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Terminal } from './terminal.ts'
import type { SshAccess } from './world-process.ts'

export function openSshTerminal({ configFile, host }: Pick<SshAccess, 'configFile' | 'host'>): Terminal {
  const child = spawn('ssh', ['-F', configFile, '-tt', '-e', 'none', host], { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaints = ''
  let ending = false
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  child.stdin.on('error', () => undefined) // the exit says it
  const exited = once(child, 'exit')
  const lost = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', () => ending || reject(new Error(`ssh ended: ${complaints}`)))
  })
  lost.catch(() => undefined)
  const terminal: Terminal = {
    write: (keys) => void child.stdin.write(keys),
    onOutput: () => undefined,
    lost,
    async [Symbol.asyncDispose]() {
      ending = true
      child.kill()
      await exited
    },
  }
  child.stdout.on('data', (chunk: Buffer) => terminal.onOutput(chunk))
  return terminal
}
