import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What makes this machine the same one after a restart. */
export interface HostKeys {
  /** A uuid. */
  readonly hostId: string
  readonly privateKey: KeyObject
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

/** The file's content; made by `create`, readable by its owner only, when it is not there yet. */
async function readOrCreate(file: string, create: () => string): Promise<string> {
  await writeFile(file, create(), { flag: 'wx', mode: 0o600, flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return (await readFile(file, 'utf8')).trim()
}

/** Reads the id and key of this machine from the directory, or makes them. */
export async function openHostKeys(directory: string): Promise<HostKeys> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const idFile = join(directory, 'host-id')
  const hostId = await readOrCreate(idFile, () => `${randomUUID()}\n`)
  if (!uuidPattern.test(hostId))
    throw new Error(`${idFile} is damaged: it must hold one UUID. Restore it, or delete it to register this machine as a new one.`)
  const keyFile = join(directory, 'host-key.pem')
  const pem = await readOrCreate(keyFile, () => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
  try {
    return { hostId, privateKey: createPrivateKey(pem) }
  } catch (cause) {
    throw new Error(`${keyFile} is damaged. Delete it; a new key is made at the next start.`, { cause })
  }
}
