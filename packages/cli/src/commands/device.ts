/** Makes this machine a trusted device: a key in its TPM 2.0, and the public half of it at the cluster. */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { converse, proveDevice, writeDevice } from '../device-proof.ts'
import { deviceFolder } from '../key-files.ts'
import { openPrompt } from '../prompt.ts'
import { makeKey, requireTpm } from '../tpm.ts'
import { readAccess, signedIn } from './ssh.ts'

export async function enrollDevice({ token }: { token?: string }): Promise<void> {
  await requireTpm()
  const access = await readAccess(await signedIn())
  const given = token ?? (await askForToken())
  const folder = deviceFolder(access.profile)
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
  const draft = await mkdtemp(`${folder}.`)
  try {
    const publicKey = await makeKey(draft)
    const answer = await converse(access, { do: 'enroll', token: given.trim(), publicKey }, draft)
    if (!('enrolled' in answer)) throw new Error('the proxy answered for something else than an enrolment')
    const { id, assetTag } = answer.enrolled
    await writeDevice(draft, { id, assetTag })
    await rm(folder, { recursive: true, force: true })
    await rename(draft, folder)
    console.log(`This machine is enrolled as ${assetTag}. Its key is in the TPM and cannot be copied.`)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  if (await proveDevice(access))
    console.log('You are signed in from a trusted device now, and so you are with each "sallyport login" here.')
}

async function askForToken(): Promise<string> {
  using prompt = openPrompt()
  return await prompt.secret('Enroll token: ')
}
