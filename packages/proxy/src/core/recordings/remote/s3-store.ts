/** Recordings in a bucket. The library for it is large, so it is loaded with the first use. */
import { LRUCache } from 'lru-cache'
import type { RandomBytes } from '../random-bytes.ts'
import { RecordingError } from '../recording-error.ts'
import type { S3Place } from './recordings-uri.ts'
import type { RemoteStore } from './remote-store.ts'
import { putFile } from './s3-upload.ts'
import type { S3 } from './s3-upload.ts'

/** Objects are read in blocks, a few of which are kept: a player reads next to where it read before. */
const blockLength = 256 * 1024
const keptBytes = 32 * 1024 * 1024
const attempts = 3

export function createS3Store(place: S3Place): RemoteStore {
  const { bucket: Bucket, prefix } = place
  let loaded: Promise<S3> | undefined
  const load = (): Promise<S3> => (loaded ??= connect(place))
  const blocks = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: ({ length }) => length + 1 })
  const keyOf = (name: string): string => prefix + name

  async function fetchRange(name: string, from: number, length: number): Promise<Buffer> {
    const { client, sdk } = await load()
    const Range = `bytes=${from}-${from + length - 1}`
    try {
      const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: keyOf(name), Range }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    } catch (error) {
      throw unreachable(error)
    }
  }

  async function block(name: string, size: number, number: number): Promise<Buffer> {
    const key = `${name} ${size} ${number}`
    const known = blocks.get(key)
    if (known) return known
    const from = number * blockLength
    const bytes = await fetchRange(name, from, Math.min(blockLength, size - from))
    blocks.set(key, bytes)
    return bytes
  }

  async function readAt(name: string, size: number, position: number, length: number): Promise<Buffer> {
    const end = Math.min(size, position + length)
    if (end <= position) return Buffer.alloc(0)
    const parts: Buffer[] = []
    for (let number = Math.floor(position / blockLength); number * blockLength < end; number += 1) {
      const from = number * blockLength
      parts.push((await block(name, size, number)).subarray(Math.max(0, position - from), Math.min(blockLength, end - from)))
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  async function sizeOf(name: string): Promise<number | undefined> {
    const { client, sdk } = await load()
    const head = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: keyOf(name) })).catch(unlessAbsent)
    return head?.ContentLength
  }

  return {
    addressOf: (name) => `s3://${Bucket}/${keyOf(name)}`,
    async open(name): Promise<RandomBytes | undefined> {
      const size = await sizeOf(name)
      if (size === undefined) return undefined
      return {
        size,
        readAt: (position, length) => readAt(name, size, position, length),
        [Symbol.asyncDispose]: async () => undefined,
      }
    },
    async read(name) {
      const { client, sdk } = await load()
      const found = await client.send(new sdk.GetObjectCommand({ Bucket, Key: keyOf(name) })).catch(unlessAbsent)
      return found?.Body && Buffer.from(await found.Body.transformToByteArray())
    },
    async put(name, file) {
      const s3 = await load()
      await putFile(s3, { Bucket, Key: keyOf(name) }, file)
    },
    async remove(name) {
      const { client, sdk } = await load()
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(name) }))
    },
    async *list() {
      const { client, sdk } = await load()
      for (let next: string | undefined; ;) {
        const page = await client.send(
          new sdk.ListObjectsV2Command({ Bucket, Prefix: prefix, ...(next !== undefined && { ContinuationToken: next }) }),
        )
        for (const { Key = '', LastModified } of page.Contents ?? [])
          yield { name: Key.slice(prefix.length), modified: LastModified?.getTime() ?? 0 }
        next = page.NextContinuationToken
        if (next === undefined) return
      }
    },
  }
}

/** Credentials come from where the library looks: environment, shared file, role of the machine. */
async function connect({ endpoint, region, pathStyle }: S3Place): Promise<S3> {
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    region,
    maxAttempts: attempts,
    forcePathStyle: pathStyle,
    // Servers other than Amazon's do not know the newer checksums; a recording proves itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint !== undefined && { endpoint }),
  })
  return { sdk, client }
}

function unlessAbsent(error: unknown): undefined {
  if (error instanceof Error && ['NotFound', 'NoSuchKey'].includes(error.name)) return undefined
  throw unreachable(error)
}

const unreachable = (cause: unknown): RecordingError =>
  new RecordingError('unreachable', 'The store of the recordings does not answer; try again, or tell whoever runs this proxy.', { cause })
