/** Files to and from servers over HTTP. */
import { download, dropUpload, keptUpload, upload } from '@sallyport/wire/calls/transfer.ts'
import { requireOwnCluster } from '../../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../../core/cluster/cluster.ts'
import { badParameter, notFound, type AppError } from '../../../core/errors.ts'
import { on } from '../../../core/route.ts'
import type { AddressParts, Route } from '../../../core/route.ts'
import type { Caller } from '../../../core/caller.ts'
import type { ParamsOf } from '@sallyport/wire/call.ts'
import { sendFile } from './download.ts'
import { KeptUploads } from './kept-uploads.ts'
import { openTransfer } from './open-transfer.ts'
import type { Transfer, TransferDeps } from './open-transfer.ts'
import { leadsElsewhere } from './remote-path.ts'
import { readUpload } from './request-body.ts'
import { openTarget, receiveFile } from './upload.ts'

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

const nothingKept = (): AppError => notFound('nothing is kept of this upload; send it from its beginning')

/** Under which an upload is kept. */
const keyOf = (caller: Caller, params: ParamsOf<typeof keptUpload>): string =>
  JSON.stringify([caller.username, params.serverId, params.login, params.uploadId])

export function transferRoutes({ cluster, ...deps }: TransferRoutesDeps): Route[] {
  const kept = new KeptUploads()
  return [
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
        const target = { location, filename, overwrite: overwrite !== 'false', createFolders }
        const open = (gone: AbortSignal): Promise<Transfer> =>
          openTransfer(deps, { ...query, ...params, caller, address: client.address, gone, direction: 'upload', webauthn: query.webauthn })
        const { uploadId } = query
        if (uploadId !== undefined) {
          const size = Number(query.size)
          const key = keyOf(caller, { ...params, uploadId })
          await kept.take({ key, owner: caller.username, offset: Number(query.offset ?? 0), size }, body, async (gone) => {
            const transfer = await open(gone)
            return { transfer, target: await openTarget(transfer, { ...target, size }).catch((error: unknown) => failing(transfer, error)) }
          })
          return
        }
        const transfer = await open(signal)
        try {
          await receiveFile(transfer, target, body)
        } catch (error) {
          return failing(transfer, error)
        }
        await transfer.close()
      },
      spread,
    ),
    on(keptUpload, async ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const received = await kept.received(keyOf(caller, params))
      if (received === undefined) throw nothingKept()
      return { received }
    }),
    on(dropUpload, async ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      if (!(await kept.drop(keyOf(caller, params)))) throw nothingKept()
      return undefined
    }),
  ]
}
