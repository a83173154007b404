/** Whether a recording is, byte by byte, what was recorded. */
import { readChunkIndex, requireComplete } from './chunk-index.ts'
import type { RandomBytes } from './random-bytes.ts'
import { damaged } from './recording-error.ts'
import { RecordingReader } from './recording-reader.ts'
import type { Sealer } from './seal.ts'

/** `signed`: by this cluster, over these bytes. `unsigned`: there is no seal. `forged`: there is one, of something else. */
export type SealState = 'signed' | 'unsigned' | 'forged'

export function stateOf({ facts }: Pick<RecordingReader, 'facts'>, seal: string | undefined, sealer: Sealer | undefined): SealState {
  if (seal === undefined || !sealer) return 'unsigned'
  return sealer.isGenuine(seal, facts) ? 'signed' : 'forged'
}

/** Reads all of a finished recording, and nothing that lies beside it but its seal. Rejects with RecordingError. */
export async function verifyRecording(
  file: RandomBytes,
  sid: string,
  seal: string | undefined,
  sealer: Sealer | undefined,
): Promise<SealState> {
  const index = requireComplete(await readChunkIndex(file, Buffer.alloc(0)), file)
  if (index.file.sid !== sid) throw damaged(`it is of session ${index.file.sid}`)
  const reader = new RecordingReader(file, index)
  let output = 0
  for await (const chunk of reader.chunks()) output += chunk.output.length
  if (output !== reader.length) throw damaged('it holds less output than it says')
  return stateOf(reader, seal, sealer)
}
