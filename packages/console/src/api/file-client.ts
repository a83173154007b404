/** Files to and from servers. Of what browsers have, only XMLHttpRequest tells how much of a body was sent, and only fetch keeps what came of an answer that broke off. */
import { callPath, callSearch, type QueryInput } from '@sallyport/wire/call.ts'
import { download, dropUpload, keptUpload, upload } from '@sallyport/wire/calls/transfer.ts'
import { ApiError, networkFailureText, toApiError } from '@sallyport/wire/errors.ts'
import type { ClientHost } from './client.ts'
import { readPart, type Part } from './partial-file.ts'

export interface FilePlace {
  readonly clusterId: string
  readonly serverId: string
  readonly login: string
}

export interface FileRun {
  readonly signal: AbortSignal
  /** Bytes so far, and in all where that is known. */
  readonly onProgress: (loaded: number, total: number | undefined) => void
}

/** Both reject with ApiError, or with the signal's reason when it aborts. */
export interface FileClient {
  /** `part`: what came before; the rest is asked for, unless the file is another one meanwhile. `keep`: told what came when it breaks off. */
  download(
    place: FilePlace,
    query: QueryInput<typeof download>,
    run: FileRun,
    more?: { part?: Part | undefined; keep?: (part: Part) => void },
  ): Promise<{ name: string; body: Blob }>
  /**
   * `again`: an upload of this `uploadId` broke off, and goes on with what the proxy kept of it; all of it is sent to one
   * that keeps nothing. `keep`: told how much was sent when the connection breaks.
   */
  upload(
    place: FilePlace,
    query: QueryInput<typeof upload> & { uploadId: string },
    file: Blob,
    run: FileRun,
    more?: { again?: boolean; keep?: (sent: number) => void },
  ): Promise<void>
}

export const badResponseText = 'Bad response'

export function createFileClient(host: ClientHost): FileClient {
  const headers = (): Record<string, string> => {
    const bearer = host.bearer()
    return {
      'X-CSRF-Token': host.csrfToken(),
      'Cache-Control': 'no-cache',
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
    }
  }
  function send(url: string, body: Blob, { signal, onProgress }: FileRun): Promise<void> {
    return new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest()
      xhr.open('POST', url)
      for (const [name, value] of Object.entries(headers())) xhr.setRequestHeader(name, value)
      xhr.upload.addEventListener('progress', (event) => onProgress(event.loaded, event.lengthComputable ? event.total : undefined))
      const stop = (): void => xhr.abort()
      signal.addEventListener('abort', stop, { once: true })
      xhr.addEventListener('loadend', () => signal.removeEventListener('abort', stop))
      xhr.addEventListener('abort', () => reject(signal.reason))
      xhr.addEventListener('error', () => reject(new ApiError(networkFailureText)))
      xhr.addEventListener('load', () => (xhr.status < 400 ? resolve() : reject(toApiError(xhr.status, url, xhr.responseText))))
      if (signal.aborted) return reject(signal.reason)
      xhr.send(body)
    })
  }
  /** Bytes that the proxy has of an upload that broke off: none where it keeps nothing. */
  async function askKept(url: string, size: number): Promise<number> {
    const response = await fetch(url, { headers: headers() }).catch((cause: unknown) => {
      throw new ApiError(networkFailureText, undefined, { cause })
    })
    if (!response.ok) return 0
    const known = keptUpload.out.safeParse(await response.json().catch(() => undefined))
    return known.success ? Math.min(known.data.received, size) : 0
  }
  return {
    async download(place, query, run, { part, keep } = {}) {
      const url = host.origin + callPath(download.path, { ...place }) + callSearch(query)
      const rest = part && { Range: `bytes=${part.body.size}-`, 'If-Range': part.tag }
      const failed = (cause: unknown): unknown =>
        run.signal.aborted ? run.signal.reason : new ApiError(networkFailureText, undefined, { cause })
      const response = await fetch(url, { headers: { ...headers(), ...rest }, signal: run.signal }).catch((cause: unknown) => {
        throw failed(cause)
      })
      if (!response.ok) throw toApiError(response.status, url, await response.text().catch(() => ''))
      const name = fileNameOf(response.headers.get('content-disposition') ?? '')
      if (name === undefined || !response.body) throw new ApiError(badResponseText, { status: response.status, url })
      const { body, error } = await readPart(response.body, {
        before: response.status === 206 ? part?.body : undefined,
        length: response.headers.get('content-length'),
        onProgress: run.onProgress,
      })
      if (error === undefined) return { name, body }
      const tag = response.headers.get('etag')
      if (tag !== null && response.headers.get('accept-ranges') === 'bytes' && body.size > 0) keep?.({ tag, body })
      throw failed(error)
    },
    async upload(place, query, file, run, { again = false, keep } = {}) {
      const keptUrl = host.origin + callPath(keptUpload.path, { ...place, uploadId: query.uploadId })
      const offset = again ? await askKept(keptUrl, file.size) : 0
      const url = host.origin + callPath(upload.path, { ...place }) + callSearch({ ...query, offset: `${offset}`, size: `${file.size}` })
      let sent = offset
      const onProgress = (loaded: number): void => run.onProgress((sent = Math.min(offset + loaded, file.size)), file.size)
      try {
        await send(url, file.slice(offset), { ...run, onProgress })
      } catch (error) {
        // A proxy of another make knows no such call, and has stopped already.
        if (run.signal.aborted) void fetch(keptUrl, { method: dropUpload.method, headers: headers() }).catch(() => undefined)
        else if (error instanceof ApiError && error.status === 0 && sent > 0) keep?.(sent)
        throw error
      }
    },
  }
}

/** The name in a Content-Disposition; undefined when it has none. */
export function fileNameOf(disposition: string): string | undefined {
  const [, quoted, plain] = /filename=(?:"([^"]*)"|([^;]+))/.exec(disposition) ?? []
  const name = (quoted ?? plain)?.trim()
  if (name === undefined || name === '') return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return name // a name with a stray % is better than none
  }
}
