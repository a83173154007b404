import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Seals secrets for rest: AES-256-GCM under one key that lives in a file of its own. */
export interface MasterKey {
  /** @param label says what is sealed; only the same label opens it, so sealed things cannot be swapped. */
  seal(plain: Uint8Array, label: string): string
  /** Throws when the text was changed, sealed under another key or for another label. */
  open(sealed: string, label: string): Buffer
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16

export function createMasterKey(key: Uint8Array): MasterKey {
  if (key.length !== keyBytes) throw new Error(`A master key has ${keyBytes} bytes, this one ${key.length}`)
  return {
    seal(plain, label) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(label))
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')
    },
    open(sealed, label) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(label)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
    },
  }
}

/**
 * Writes a file that only its owner may read and that is complete from the moment it exists.
 * Answers false, and leaves it alone, when the file is already there.
 */
export async function createPrivateFile(file: string, content: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
    await link(draft, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}

/** Reads the key file, or makes it with a new key. Refuses one that others may read. */
export async function openMasterKey(file: string): Promise<MasterKey> {
  await createPrivateFile(file, `${randomBytes(keyBytes).toString('base64')}\n`)
  if (process.platform !== 'win32') {
    const { mode } = await stat(file)
    if ((mode & 0o077) !== 0) throw new Error(`${file} can be read by other users of this machine. Run: chmod 600 ${file}`)
    await chmod(dirname(file), 0o700)
  }
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64')
  if (key.length !== keyBytes)
    throw new Error(
      `${file} is damaged: it must hold ${keyBytes} bytes in base64. Restore it from a backup; without it the keys of this cluster cannot be read.`,
    )
  return createMasterKey(key)
}
