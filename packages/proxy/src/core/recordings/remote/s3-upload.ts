/**
 * A file becomes an object, in parts that are not sent twice: what is stored so far is written down beside the file
 * (<file>.upload), so that a process that comes after a kill goes on where the other one was.
 */
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import type * as sdk from '@aws-sdk/client-s3'
import { z } from 'zod'

export interface S3 {
  sdk: typeof sdk
  client: sdk.S3Client
}

interface Target {
  Bucket: string
  Key: string
}

/** Five megabytes is the least that the protocol allows. */
export const partLength = 8 * 1024 * 1024

const progressForm = z.object({
  id: z.string(),
  /** Of the file; another file is another upload. */
  size: z.number(),
  parts: z.array(z.object({ PartNumber: z.number(), ETag: z.string() })),
})
type Progress = z.output<typeof progressForm>

export async function putFile(s3: S3, target: Target, file: string): Promise<void> {
  const { size } = await stat(file)
  if (size <= partLength) {
    await s3.client.send(new s3.sdk.PutObjectCommand({ ...target, Body: await readFile(file) }))
    return
  }
  const note = `${file}.upload`
  const begun = await readProgress(note)
  const mine = begun?.size === size ? begun : undefined
  try {
    await putParts(s3, target, file, note, mine ?? (await begin(s3, target, size)))
  } catch (error) {
    // The server forgot an upload that was begun long ago.
    if (!mine || !(error instanceof Error) || error.name !== 'NoSuchUpload') throw error
    await putParts(s3, target, file, note, await begin(s3, target, size))
  }
  await rm(note, { force: true })
}

async function begin({ client, sdk: { CreateMultipartUploadCommand } }: S3, target: Target, size: number): Promise<Progress> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  if (UploadId === undefined) throw new Error('The server began no upload.')
  return { id: UploadId, size, parts: [] }
}

async function putParts(s3: S3, target: Target, file: string, note: string, { id: UploadId, size, parts }: Progress): Promise<void> {
  const { UploadPartCommand, CompleteMultipartUploadCommand } = s3.sdk
  await using handle = await open(file)
  for (let number = parts.length + 1; (number - 1) * partLength < size; number += 1) {
    const from = (number - 1) * partLength
    const Body = Buffer.alloc(Math.min(partLength, size - from))
    await handle.read(Body, 0, Body.length, from)
    const { ETag } = await s3.client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: number, Body }))
    if (ETag === undefined) throw new Error('The server confirmed no part.')
    parts.push({ PartNumber: number, ETag })
    await writeFile(`${note}.new`, JSON.stringify({ id: UploadId, size, parts } satisfies Progress), { mode: 0o600, flush: true })
    await rename(`${note}.new`, note)
  }
  await s3.client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: parts } }))
}

/** Undefined when nothing was begun; what cannot be read is begun anew. */
async function readProgress(note: string): Promise<Progress | undefined> {
  const text = await readFile(note, 'utf8').catch(() => '')
  try {
    return progressForm.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
