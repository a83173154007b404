/** What a moderated session decides about copying files: the seam between sessions and file transfers. */
import type { Caller } from '../../caller.ts'
import type { Node } from '../../inventory/inventory.ts'

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
  /**
   * Uses up the approval of a request, which must be for exactly this transfer. Aborts when the session is over, and
   * what was approved in it. Throws access denied.
   */
  take(sid: string, requestId: string, transfer: ApprovedTransfer): AbortSignal
}

export interface TransferWish {
  readonly direction: ApprovedTransfer['direction']
  readonly location: string
  /** Of an upload. */
  readonly filename: string
}
