/** An upload: from the body of a request into a file on a server. */
import { sftpOf } from './open-file.ts'
import type { Transfer } from './open-transfer.ts'
import type { RemoteTarget, TargetRequest } from './remote-file.ts'
import type { UploadBody } from './request-body.ts'
import { openScpTarget } from './scp-files.ts'
import { openSftpTarget } from './sftp-files.ts'

/** `O_WRONLY|O_CREAT`. */
const writeOnly = 0o101

/** Resolves when the file is there and the event that says so is durable. Rejects with what refuses it; nothing new is left then. */
export async function receiveFile(transfer: Transfer, request: Omit<TargetRequest, 'size'>, body: UploadBody): Promise<void> {
  const target = await openTarget(transfer, { ...request, size: body.size })
  try {
    const size = await target.write(body.bytes(transfer.signal, transfer.progress))
    await transfer.conclude({ path: target.path, size })
  } catch (error) {
    await target.discard()
    throw error
  }
}

/** Rejects with what refuses it; nothing new is left then. */
export async function openTarget(transfer: Transfer, request: TargetRequest): Promise<RemoteTarget> {
  const sftp = await sftpOf(transfer.connection)
  if (!sftp) return openScpTarget(transfer.connection, request)
  const target = await openSftpTarget(sftp, request)
  try {
    await transfer.note('TS001I', target.path, { flags: writeOnly })
    return target
  } catch (error) {
    await target.discard()
    throw error
  }
}
