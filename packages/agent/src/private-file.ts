import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file by one that only its owner may read and that is complete from the moment it exists. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.new`
  await rm(draft, { force: true })
  await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true })
  await rename(draft, file)
}
