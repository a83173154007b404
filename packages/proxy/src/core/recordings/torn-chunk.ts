/** What a process that died may leave at the end of a recording. */
import type { FileHandle } from 'node:fs/promises'
import { chunkEventsLimit, chunkHeaderLength, chunkMagic, chunkOutputLimit } from './format.ts'
import { damaged } from './recording-error.ts'

const tornChunkLimit = chunkHeaderLength + chunkEventsLimit + chunkOutputLimit

/** What follows the last whole chunk goes only if it is the beginning of one chunk; more than that is damage, and stays. */
export async function cutTornChunk(recording: FileHandle, end: number): Promise<void> {
  const { size } = await recording.stat()
  const tail = Buffer.alloc(Math.min(size - end, tornChunkLimit + 1))
  const { bytesRead } = await recording.read(tail, 0, tail.length, end)
  if (bytesRead > tornChunkLimit || tail.subarray(0, bytesRead).indexOf(chunkMagic, 1) > 0)
    throw damaged(`nothing can be read after byte ${end}, though more follows`)
  await recording.truncate(end)
}
