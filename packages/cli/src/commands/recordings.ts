/** `sallyport recordings`: what is recorded, whether it is whole, and in other forms. */
import { createWriteStream } from 'node:fs'
import { adminCalls, adminExportPath } from '@sallyport/wire/admin.ts'
import { ask, download } from '../admin-client.ts'
import { CommandError } from '../command-error.ts'
import { dataDirOf } from '../data-dir.ts'
import { span } from './status.ts'

const everything = 10_000

export async function listRecordings(options: { limit: number; dataDir?: string }): Promise<void> {
  const { recordings, more } = await ask(dataDirOf(options), adminCalls.listRecordings, { limit: options.limit })
  for (const { sid, user, hostname, start, durationMs, bytes } of recordings)
    console.log(`${start.slice(0, 19)}Z  ${sid}  ${user}  ${hostname}  ${span(durationMs / 1000)}  ${Math.ceil(bytes / 1000)} kB`)
  if (more > 0) console.log(`and ${more} more: ask for them with --limit`)
}

const findings = {
  unsigned: 'is not signed: it was made before recordings were signed, or its signature was removed',
  forged: 'is not what was recorded: its signature belongs to something else',
} as const

export async function verifyRecordings(sid: string | undefined, options: { dataDir?: string }): Promise<void> {
  const dataDir = dataDirOf(options)
  const sids = sid === undefined ? (await ask(dataDir, adminCalls.listRecordings, { limit: everything })).sids : [sid]
  let wrong = 0
  for (const one of sids) {
    const { state, problem } = await ask(dataDir, adminCalls.verifyRecording, { sid: one })
    if (state === 'signed') continue
    wrong += 1
    console.log(state === 'damaged' ? `${one}: ${problem}` : `${one} ${findings[state]}.`)
  }
  if (wrong > 0) throw new CommandError(`${wrong} of ${sids.length} recordings are not as they were made.`)
  console.log(sids.length === 1 ? 'The recording is whole and signed.' : `All ${sids.length} recordings are whole and signed.`)
}

export async function exportRecording(sid: string, options: { format: 'cast' | 'text'; output?: string; dataDir?: string }): Promise<void> {
  const into = options.output === undefined ? process.stdout : createWriteStream(options.output)
  await download(dataDirOf(options), adminExportPath(sid, options.format), into)
}
