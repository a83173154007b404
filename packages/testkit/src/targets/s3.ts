/** An S3-compatible server with one bucket, which can be away for a while. */
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

export interface S3Server extends AsyncDisposable {
  /** Of a folder in the bucket, as the proxy takes it. */
  readonly uri: string
  /** While true every request is cut off. */
  isAway: boolean
  /** Method and path with query of the requests so far. */
  readonly requests: string[]
  /** Called before each request is answered. */
  onRequest: ((request: string) => void) | undefined
}

/** What the server takes; the environment of whoever talks to it must hold it. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' } as const

export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-s3-'))
  await mkdir(join(directory, 'recordings'))
  const answer = new S3rver({ directory, silent: true }).callback()
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`
    state.requests.push(line)
    state.onRequest?.(line)
    if (state.isAway) request.socket.destroy()
    else answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const state: S3Server = {
    uri: `s3://recordings/cluster?endpoint=http://127.0.0.1:${port}`,
    isAway: false,
    requests: [],
    onRequest: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
  return state
}
