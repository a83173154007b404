/** The seam between moderated sessions, where a transfer is approved, and the call that moves the file. */

/** What is to be moved. It has to be what was approved, to the letter. */
export interface FileTransfer {
  /** Who moves it. */
  readonly user: string
  /** Id of the node. */
  readonly node: string
  readonly login: string
  /** Path on the node: of the file for a download, of the folder or file for an upload. */
  readonly location: string
  readonly direction: 'download' | 'upload'
  /** Name of the file that is uploaded; downloads are not held to one. */
  readonly filename: string
}

export interface FileTransferApprovals {
  /**
   * Uses up the approval of a request; there is no second time. Throws access denied when there is none, or when it was
   * given for something else; an approval that somebody else tries to use is void from then on.
   */
  take(sid: string, requestId: string, transfer: FileTransfer): void
}
