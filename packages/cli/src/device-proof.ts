/** What this device says to the proxy of itself, over SSH with the certificate of the sign-in. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { deviceAnswer, deviceChallenge, deviceStatement, deviceSubsystem } from '@sallyport/wire/device-trust.ts'
import type { DeviceAnswer, DeviceRequest } from '@sallyport/wire/device-trust.ts'
import { z } from 'zod'
import { CommandError } from './command-error.ts'
import { deviceFolder, homeFolder, writeCertificates } from './key-files.ts'
import { proxyAlias, sshConfig } from './ssh-config.ts'
import type { SshAccess } from './ssh-config.ts'
import { signWith } from './tpm.ts'

const deviceForm = z.object({ id: z.string(), assetTag: z.string() })
export type OwnDevice = z.output<typeof deviceForm>

const deviceFile = (folder: string): string => join(folder, 'device.json')
export const writeDevice = (folder: string, device: OwnDevice): Promise<void> =>
  writeFile(deviceFile(folder), `${JSON.stringify(device)}\n`, { mode: 0o600 })

/** Undefined where this device is not enrolled. */
async function readDevice(folder: string): Promise<OwnDevice | undefined> {
  const text = await readFile(deviceFile(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : deviceForm.parse(JSON.parse(text))
}

/**
 * Exchanges the certificates for those that name this device, where it is enrolled. What is in the way is told; the sign-in
 * stands without it.
 */
export async function proveDevice(access: SshAccess): Promise<OwnDevice | undefined> {
  const folder = deviceFolder(access.profile)
  const device = await readDevice(folder)
  if (!device) return undefined
  try {
    const answer = await converse(access, { do: 'authenticate', device: device.id }, folder)
    if (!('certificates' in answer)) throw unexpected()
    await writeCertificates(access.files, answer.certificates)
    return device
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    console.error(`You are signed in without your trusted device (${device.assetTag}). ${error.message}`)
    return undefined
  }
}

/** `folder`: where the parts of the device's key lie. Throws CommandError. */
export async function converse(
  access: SshAccess,
  request: DeviceRequest,
  folder: string,
): Promise<Exclude<DeviceAnswer, { error: string }>> {
  const work = await mkdtemp(join(homeFolder(), 'session-'))
  const config = join(work, 'config')
  await writeFile(config, sshConfig(access, '*'), { mode: 0o600 })
  const ssh = ['-F', config, '-o', 'BatchMode=yes', '-s', proxyAlias(access.cluster), deviceSubsystem]
  const child = spawn('ssh', ssh, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.once('error', () => child.stdout.destroy())
  child.stdin.on('error', () => undefined) // it ends before it was told all; there is no answer then
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const say = (line: object): void => void child.stdin.write(`${JSON.stringify(line)}\n`)
    const hear = async <S extends typeof deviceChallenge | typeof deviceAnswer>(
      schema: S,
    ): Promise<Exclude<z.output<S>, { error: string }>> => {
      const { value, done } = await lines.next()
      const parsed = done ? undefined : schema.safeParse(readJson(value))
      if (!parsed?.success) throw unexpected()
      const answer: object = parsed.data
      if ('error' in answer) throw new CommandError(`The cluster refused: ${String(answer.error)}.`)
      return parsed.data as Exclude<z.output<S>, { error: string }>
    }
    say(request)
    const { challenge } = await hear(deviceChallenge)
    const key = await readFile(access.files.publicKey, 'utf8')
    const statement = deviceStatement(request.do, { cluster: access.cluster, key: key.trim(), challenge })
    say({ signature: (await signWith(folder, statement)).toString('base64') })
    return await hear(deviceAnswer)
  } finally {
    child.kill()
    await rm(work, { recursive: true, force: true })
  }
}

const unexpected = (): CommandError =>
  new CommandError('The proxy did not answer about devices. Is it reached over SSH? "sallyport config" shows where.')

function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // no schema takes it
  }
}
