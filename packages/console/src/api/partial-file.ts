/** The bytes of a file that may break off on their way. */

/** What came of it, and the server's mark of the file as it was then. */
export interface Part {
  readonly tag: string
  readonly body: Blob
}

/** Bytes that lie on the heap before they become part of a blob, which browsers keep elsewhere. */
const heapLimit = 4 * 1024 * 1024
/** Between two reports (ms). */
const reportEvery = 100

export interface PartOptions {
  /** What is there already; the stream goes on behind it. */
  before: Blob | undefined
  /** Of the stream, as its header says it. */
  length: string | null
  /** Bytes so far, and in all where that is known. */
  onProgress: (loaded: number, total: number | undefined) => void
}

/** Reads to the end, or as far as it goes; `error` says what broke it off. */
export async function readPart(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { before, length, onProgress }: PartOptions,
): Promise<{ body: Blob; error?: unknown }> {
  let body = before ?? new Blob([])
  const total = length === null ? undefined : body.size + Number(length)
  let fresh: Uint8Array<ArrayBuffer>[] = []
  let freshLength = 0
  let reported = -Infinity
  const gather = (): Blob => {
    body = new Blob([body, ...fresh])
    fresh = []
    freshLength = 0
    return body
  }
  try {
    const reader = stream.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      fresh.push(value)
      freshLength += value.length
      const now = performance.now()
      if (now - reported >= reportEvery) {
        reported = now
        onProgress(body.size + freshLength, total)
      }
      if (freshLength >= heapLimit) gather()
    }
  } catch (error) {
    return { body: gather(), error: error ?? new Error('the answer broke off') }
  }
  gather()
  onProgress(body.size, total)
  return total !== undefined && body.size !== total ? { body, error: new Error('the answer was too short') } : { body }
}
