/** Files to and from servers over HTTP. */
import { download, upload } from '@sallyport/wire/calls/transfer.ts'
import { requireOwnCluster } from '../../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../../core/cluster/cluster.ts'
import { badParameter } from '../../../core/errors.ts'
import { on } from '../../../core/route.ts'
import type { AddressParts, Route } from '../../../core/route.ts'
import { sendFile } from './download.ts'
import { openTransfer } from './open-transfer.ts'
import type { Transfer, TransferDeps } from './open-transfer.ts'
import { leadsElsewhere } from './remote-path.ts'
import { readUpload } from './request-body.ts'
import { receiveFile } from './upload.ts'

export interface TransferRoutesDeps extends TransferDeps {
  cluster: OwnCluster
}

/** Node tells most headers as one text, and some as a list. */
const firstOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header)

/** An approval lies with its session. */
const spread = { keptUnder: ({ query }: AddressParts) => query['moderatedSessionId'] }

/** For what fails before anything was sent. */
async function failing(transfer: Transfer, error: unknown): Promise<never> {
  const refusal = transfer.refusal(error)
  try {
    await transfer.conclude({ error: refusal })
  } finally {
    await transfer.close()
  }
  throw refusal
}

export const transferRoutes = ({ cluster, ...deps }: TransferRoutesDeps): Route[] => [
  on(
    download,
    async ({ params, query, caller, client, signal, reply }) => {
      requireOwnCluster(cluster, params.clusterId)
      const { headers } = reply.request
      const request = { ...query, ...params, caller, address: client.address, gone: signal }
      const transfer = await openTransfer(deps, { ...request, direction: 'download', webauthn: query.webauthn })
      const { location, archive } = query
      return sendFile(reply, transfer, {
        location,
        archive: archive === 'tar',
        range: headers.range,
        ifRange: firstOf(headers['if-range']),
      }).catch((error: unknown) => failing(transfer, error))
    },
    spread,
  ),
  on(
    upload,
    async ({ params, query, caller, client, signal, reply }) => {
      requireOwnCluster(cluster, params.clusterId)
      const body = readUpload(reply.request.raw)
      const { location, filename, overwrite, createFolders } = query
      if (leadsElsewhere(filename)) throw badParameter('filename must be the name of a file, without a path')
      const request = { ...query, ...params, caller, address: client.address, gone: signal }
      const transfer = await openTransfer(deps, { ...request, direction: 'upload', webauthn: query.webauthn })
      try {
        await receiveFile(transfer, { location, filename, overwrite: overwrite !== 'false', createFolders }, body)
      } catch (error) {
        return failing(transfer, error)
      }
      await transfer.close()
    },
    spread,
  ),
]
