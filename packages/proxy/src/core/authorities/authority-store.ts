import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createPrivateFile } from './master-key.ts'

/**
 * `user` signs the proxy's own logins on hosts and is what hosts trust; `host` signs hosts. `people` signs what people
 * hold: it opens nothing by itself. `cluster` signs for the whole cluster, toward other clusters.
 */
export const authorityKinds = ['user', 'host', 'people', 'cluster'] as const
export type AuthorityKind = (typeof authorityKinds)[number]

/**
 * An authority at rest. The first key signs; all are trusted, so that while one is rotated the old and the
 * new count together. Private keys are sealed.
 */
export const authorityRecordSchema = z.object({
  version: z.literal(1),
  kind: z.enum(authorityKinds),
  keys: z
    .array(z.object({ id: z.uuid(), createdAt: z.iso.datetime(), publicKey: z.string(), sealedPrivateKey: z.string() }))
    .min(1)
    .max(2),
})
export type AuthorityRecord = z.infer<typeof authorityRecordSchema>

export interface AuthorityStore {
  load(kind: AuthorityKind): Promise<AuthorityRecord | undefined>
  /** Keeps the first record of a kind; answers false when another process was first. */
  create(kind: AuthorityKind, record: AuthorityRecord): Promise<boolean>
}

/** One file per authority in a directory that only its owner may read. */
export function createFileAuthorityStore(directory: string): AuthorityStore {
  const fileOf = (kind: AuthorityKind): string => join(directory, `${kind}-authority.json`)
  return {
    async load(kind) {
      const file = fileOf(kind)
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw new Error(`${file} cannot be read: ${error.message}`, { cause: error })
      })
      if (text === undefined) return undefined
      try {
        const record = authorityRecordSchema.parse(JSON.parse(text))
        if (record.kind !== kind) throw new Error(`it holds the ${record.kind} authority`)
        return record
      } catch (cause) {
        throw new Error(`${file} is damaged. Restore it from a backup; certificates signed by it are in use.`, { cause })
      }
    },
    create: (kind, record) => createPrivateFile(fileOf(kind), `${JSON.stringify(record, undefined, 2)}\n`),
  }
}
