/** Files to and from servers. The bytes are the bodies; everything else is in the address. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { transferPathLength } from '../limits.ts'

const name = z.string().check(z.minLength(1), z.maxLength(255))
const params = z.object({ clusterId: name, serverId: name, login: name })

const noZero = z.refine<string>((value) => !value.includes('\0'), 'a path cannot hold a zero byte')
const path = z.string().check(z.minLength(1), z.maxLength(transferPathLength), noZero)
const id = z._default(z.string().check(z.maxLength(64)), '')
const flag = z.pipe(
  z._default(z.enum(['true', 'false', '']), ''),
  z.transform((value) => value === 'true'),
)

const common = {
  /** Path on the server; `~` is the login's home. */
  location: path,
  filename: path,
  /** Both or neither: the approval of a transfer in a moderated session. */
  moderatedSessionId: id,
  fileTransferRequestId: id,
  /** JSON of `{"webauthnAssertionResponse":…}`. */
  webauthn: z.optional(z.string().check(z.maxLength(16 * 1024))),
}

const isPair = z.refine<{ moderatedSessionId: string; fileTransferRequestId: string }>(
  ({ moderatedSessionId, fileTransferRequestId }) => (moderatedSessionId === '') === (fileTransferRequestId === ''),
  'moderatedSessionId and fileTransferRequestId must be given together, or neither of them',
)

/** A name of an upload that its client made up. */
const uploadId = z.string().check(z.regex(/^[\w-]{16,64}$/, 'must be 16 to 64 letters, digits, _ or -'))
const hasSize = z.refine<{ uploadId?: string | undefined; size?: string | undefined }>(
  (query) => query.uploadId === undefined || query.size !== undefined,
  'size must be given with uploadId',
)
const amount = z.optional(z.string().check(z.regex(/^\d{1,15}$/, 'must be a number of bytes')))

const scp = '/v1/webapi/sites/{clusterId}/nodes/{serverId}/{login}/scp'

/** One regular file. `Range` with one range gives that part of it, where the server speaks SFTP. */
export const download = call({
  id: 'transfer.download',
  method: 'GET',
  path: scp,
  allow: 'session',
  params,
  query: z
    .object({
      ...common,
      /** Ours: `tar` packs a directory on the way. */
      archive: z.optional(z.enum(['tar', ''], 'archive must be "tar"')),
    })
    .check(isPair),
  answer: 'raw',
})
/** The file is the body, or the first file of a `multipart/form-data` body. */
export const upload = call({
  id: 'transfer.upload',
  method: 'POST',
  path: scp,
  allow: 'session',
  params,
  query: z
    .object({
      ...common,
      /** Ours: `false` answers 409 where the name is taken already. */
      overwrite: z.optional(z.enum(['true', 'false', ''], 'overwrite must be "true" or "false"')),
      /** Ours: makes the folders of `location` that are missing. */
      createFolders: flag,
      /** Ours: what came is kept for some minutes when the connection breaks, and the same name goes on with it. */
      uploadId: z.optional(uploadId),
      /** Ours, with `uploadId`: where in the file the body begins, and how long the file is. */
      offset: amount,
      size: amount,
    })
    .check(isPair, hasSize),
  streamed: true,
  answer: 'empty',
})

const kept = { path: `${scp}/{uploadId}`, allow: 'session', params: z.extend(params, { uploadId }) } as const
/** Ours: how much of an upload with `uploadId` is there. */
export const keptUpload = call({ ...kept, id: 'transfer.keptUpload', method: 'GET', answer: 'json', out: z.object({ received: z.int() }) })
/** Ours: ends it and takes away what came of it. */
export const dropUpload = call({ ...kept, id: 'transfer.dropUpload', method: 'DELETE', answer: 'empty' })
