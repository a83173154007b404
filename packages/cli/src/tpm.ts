/**
 * Keys that cannot leave this machine: made and used in its TPM 2.0, by the programs of tpm2-tools. What lies on disk is what
 * only that chip can load.
 */
import { execFile } from 'node:child_process'
import { access, constants, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CommandError } from './command-error.ts'

const chip = '/dev/tpmrm0'
/** Where the programs find the chip, when it is not the kernel's. */
const connection = (): string | undefined => process.env['TPM2TOOLS_TCTI']
const runFile = promisify(execFile)

/** Signs; may be used without a password; is bound to the chip that made it. */
const attributes = 'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|sign'
const partsOf = (folder: string) => ['-u', join(folder, 'key.pub'), '-r', join(folder, 'key.priv')]

/** Throws CommandError where this machine has none that may be used. */
export async function requireTpm(): Promise<void> {
  if (process.platform !== 'linux') throw new CommandError('Only devices with Linux and a TPM 2.0 can be enrolled.')
  if (connection() !== undefined) return
  await access(chip, constants.R_OK | constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(
      cause.code === 'ENOENT'
        ? `This machine has no TPM 2.0 (${chip} is not there), so it cannot be enrolled: a key in a file could be copied to any other machine. Virtual machines can be given one.`
        : `You may not use the TPM 2.0 of this machine (${chip}): on most systems that takes membership of the group tss (sudo usermod -aG tss $USER), and signing in to the machine again.`,
      { cause },
    )
  })
}

/** Its public key in PEM. */
export const makeKey = (folder: string): Promise<string> =>
  withPrimary(async (work, primary) => {
    await tool('tpm2_create', ['-C', primary, '-g', 'sha256', '-G', 'ecc256:ecdsa-sha256', '-a', attributes, ...partsOf(folder)])
    const key = await load(work, primary, folder)
    const pem = join(work, 'public.pem')
    await tool('tpm2_readpublic', ['-c', key, '-f', 'pem', '-o', pem])
    return readFile(pem, 'utf8')
  })

/** ECDSA with SHA-256, as DER. */
export const signWith = (folder: string, statement: string): Promise<Buffer> =>
  withPrimary(async (work, primary) => {
    const key = await load(work, primary, folder)
    const [message, signature] = [join(work, 'statement'), join(work, 'signature')]
    await writeFile(message, statement)
    await tool('tpm2_sign', ['-c', key, '-g', 'sha256', '-s', 'ecdsa', '-f', 'plain', '-o', signature, message])
    return readFile(signature)
  })

async function load(work: string, primary: string, folder: string): Promise<string> {
  const key = join(work, 'key.ctx')
  await tool('tpm2_load', ['-C', primary, ...partsOf(folder), '-c', key])
  return key
}

/** The key under which ours lies: the chip makes the same one of its seed each time. */
async function withPrimary<T>(act: (work: string, primary: string) => Promise<T>): Promise<T> {
  const work = await mkdtemp(join(tmpdir(), 'sallyport-tpm-'))
  try {
    const primary = join(work, 'primary.ctx')
    await tool('tpm2_createprimary', ['-C', 'o', '-g', 'sha256', '-G', 'ecc', '-c', primary])
    return await act(work, primary)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function tool(program: string, args: readonly string[]): Promise<void> {
  await start(program, ['-Q', ...args])
  // What was loaded lies in files. The kernel's manager of the chip forgets it by itself; a chip without one has room for three.
  if (connection() !== undefined) await start('tpm2_flushcontext', ['-t'])
}

async function start(program: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, TPM2TOOLS_TCTI: connection() ?? `device:${chip}` }
  await runFile(program, args, { env, timeout: 30_000 }).catch((cause: NodeJS.ErrnoException & { stderr?: string }) => {
    if (cause.code === 'ENOENT') throw new CommandError(`${program} cannot be started: install tpm2-tools (version 5 or newer).`, { cause })
    const why = cause.stderr?.trim().split('\n').at(-1) ?? ''
    throw new CommandError(`The TPM 2.0 of this machine refused (${program}${why === '' ? '' : `: ${why}`}).`, { cause })
  })
}
