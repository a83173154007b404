/** Files to and from servers. Of what browsers have, only XMLHttpRequest tells how much of a body was sent, and keeps a large answer off the heap. */
import { callPath, callSearch, type QueryInput } from '@sallyport/wire/call.ts'
import { download, upload } from '@sallyport/wire/calls/transfer.ts'
import { ApiError, networkFailureText, toApiError } from '@sallyport/wire/errors.ts'
import type { ClientHost } from './client.ts'

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
  download(place: FilePlace, query: QueryInput<typeof download>, run: FileRun): Promise<{ name: string; body: Blob }>
  upload(place: FilePlace, query: QueryInput<typeof upload>, file: Blob, run: FileRun): Promise<void>
}

export const badResponseText = 'Bad response'

export function createFileClient(host: ClientHost): FileClient {
  function send(method: string, url: string, body: Blob | undefined, { signal, onProgress }: FileRun): Promise<XMLHttpRequest> {
    return new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest()
      xhr.open(method, url)
      xhr.responseType = 'blob'
      xhr.setRequestHeader('X-CSRF-Token', host.csrfToken())
      xhr.setRequestHeader('Cache-Control', 'no-cache')
      const bearer = host.bearer()
      if (bearer !== undefined) xhr.setRequestHeader('Authorization', `Bearer ${bearer}`)
      const progress = (event: ProgressEvent): void => onProgress(event.loaded, event.lengthComputable ? event.total : undefined)
      if (body) xhr.upload.addEventListener('progress', progress)
      else xhr.addEventListener('progress', (event) => xhr.status < 300 && progress(event))
      const stop = (): void => xhr.abort()
      signal.addEventListener('abort', stop, { once: true })
      xhr.addEventListener('loadend', () => signal.removeEventListener('abort', stop))
      xhr.addEventListener('abort', () => reject(signal.reason))
      xhr.addEventListener('error', () => reject(new ApiError(networkFailureText)))
      xhr.addEventListener('load', () => {
        if (xhr.status < 400) return resolve(xhr)
        const answer: unknown = xhr.response
        const read = answer instanceof Blob ? answer.text() : Promise.resolve('')
        read.then((text) => reject(toApiError(xhr.status, url, text)), reject)
      })
      if (signal.aborted) return reject(signal.reason)
      xhr.send(body ?? null)
    })
  }
  return {
    async download(place, query, run) {
      const url = host.origin + callPath(download.path, { ...place }) + callSearch(query)
      const xhr = await send('GET', url, undefined, run)
      const name = fileNameOf(xhr.getResponseHeader('content-disposition') ?? '')
      const body: unknown = xhr.response
      if (name === undefined || !(body instanceof Blob)) throw new ApiError(badResponseText, { status: xhr.status, url })
      return { name, body }
    },
    async upload(place, query, file, run) {
      await send('POST', host.origin + callPath(upload.path, { ...place }) + callSearch(query), file, run)
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
