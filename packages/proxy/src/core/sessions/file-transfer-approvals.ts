/** What a moderated session decides about copying files: the seam between sessions and file transfers. */
import type { Caller } from '../caller.ts'
import { accessDenied } from '../errors.ts'
import type { Node } from '../inventory/inventory.ts'

export interface ApprovedTransfer {
  user: string
  /** Id of the server. */
  node: string
  login: string
  location: string
  direction: 'download' | 'upload'
  filename: string
}

export interface FileTransferApprovals {
  /** Whether this person may copy files there only with the approval of a moderated session. */
  isNeeded(caller: Caller, node: Node, login: string): boolean
  /** Uses up the approval of a request, which must be for exactly this transfer. Throws access denied. */
  take(sid: string, requestId: string, transfer: ApprovedTransfer): void
}

/** Where no session is moderated there is nothing to approve, and so no approval that could be used. */
export const noApprovals: FileTransferApprovals = {
  isNeeded: () => false,
  take(sid, requestId) {
    throw accessDenied(`file transfer request ${requestId} of session ${sid} is unknown, was used already or is not approved`)
  },
}
