/** A TPM 2.0 in software, as virtual machines are given one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireProgram } from './programs.ts'

export interface Tpm extends AsyncDisposable {
  /** For tpm2-tools: what stands in TPM2TOOLS_TCTI. */
  readonly tcti: string
}

export async function startTpm(): Promise<Tpm> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-swtpm-'))
  const socket = join(folder, 'tpm')
  // Where the library looks for it.
  const control = `${socket}.ctrl`
  const changes = watch(folder)
  const args = ['--tpm2', '--tpmstate', `dir=${folder}`, '--flags', 'not-need-init,startup-clear']
  const child = spawn(
    requireProgram('swtpm'),
    ['socket', ...args, '--server', `type=unixio,path=${socket}`, '--ctrl', `type=unixio,path=${control}`],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  while (!existsSync(socket) || !existsSync(control)) await once(changes, 'change')
  changes.close()
  return {
    tcti: `swtpm:path=${socket}`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
