/** Copies files through the proxy as a console does. */
import { callPath, callSearch, type QueryInput } from '@sallyport/wire/call.ts'
import { download, type upload } from '@sallyport/wire/calls/transfer.ts'
import { errorBodyWire } from '@sallyport/wire/errors.ts'
import type { ApiClient } from './api-client.ts'

export interface Place {
  cluster: string
  serverId: string
  login: string
}

export interface TransferAnswer {
  status: number
  headers: Headers
  body: Buffer
  /** Of a refusal. */
  message: string
}

type Query = Partial<QueryInput<typeof download> & QueryInput<typeof upload>> & { location: string }

export const transferPath = ({ cluster, serverId, login }: Place, query: Query): string =>
  callPath(download.path, { clusterId: cluster, serverId, login }) + callSearch({ filename: query.location, ...query })

async function read(response: Response): Promise<TransferAnswer> {
  const body = Buffer.from(await response.arrayBuffer())
  const refusal = response.ok ? undefined : errorBodyWire.parse(JSON.parse(body.toString()))
  return { status: response.status, headers: response.headers, body, message: refusal?.error.message ?? '' }
}

export const downloadFile = async (
  client: ApiClient,
  place: Place,
  query: Query,
  headers: Record<string, string> = {},
): Promise<TransferAnswer> => read(await client.fetch(transferPath(place, query), { headers }))

export const uploadFile = async (
  client: ApiClient,
  place: Place,
  query: Query & { filename: string },
  body: BodyInit,
): Promise<TransferAnswer> => read(await client.fetch(transferPath(place, query), { method: 'POST', body }))
