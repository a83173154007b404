/** Requests to move a file out of or into a moderated session: one at a time, approved by its moderators, used once. */
import { randomUUID } from 'node:crypto'
import { fileTransferEvents } from '@sallyport/wire/sockets/terminal.ts'
import type { FileTransferEvent } from '@sallyport/wire/sockets/terminal.ts'
import { accessDenied } from '../../errors.ts'
import type { ApprovedTransfer, TransferWish } from './file-transfer-approvals.ts'
import type { Person } from './moderation.ts'
import type { PartyEvent } from './party.ts'

interface TransferRequest extends TransferWish {
  readonly id: string
  readonly requester: string
  /** By name. */
  readonly approvers: Map<string, Person>
  isApproved: boolean
}

export interface TransferRequestsOptions {
  sid: string
  clusterName: string
  /** Tells everybody in the session. */
  tell: (event: PartyEvent) => void
  /** Whether these people together are enough to approve. */
  isEnough: (people: readonly Person[]) => boolean
}

/** Consoles know a request's events by this time, which is none. */
const noTime = '0001-01-01T00:00:00Z'

export class FileTransferRequests {
  readonly #options: TransferRequestsOptions
  #request: TransferRequest | undefined

  constructor(options: TransferRequestsOptions) {
    this.#options = options
  }

  /** The request that waits for a decision, as newcomers are told of it. */
  get pending(): PartyEvent | undefined {
    return this.#request && !this.#request.isApproved ? this.#event(fileTransferEvents.request, this.#request) : undefined
  }

  /** Takes the place of an older request, and of an approval that was not used. */
  ask(requester: string, { direction, location, filename }: TransferWish): void {
    const request = { id: randomUUID(), requester, direction, location, filename, approvers: new Map(), isApproved: false }
    this.#request = request
    this.#options.tell(this.#event(fileTransferEvents.request, request))
  }

  /** A decision of a moderator, or of the requester who takes the request back. Others, and other requests, decide nothing. */
  decide(by: Person, requestId: string, isApproved: boolean): void {
    const request = this.#request
    const { name } = by.person.metadata
    const isModerator = by.mode === 'moderator'
    if (!request || request.isApproved || request.id !== requestId) return
    if (!isApproved) {
      if (!isModerator && name !== request.requester) return
      this.#request = undefined
      this.#options.tell(this.#event(fileTransferEvents.deny, request))
      return
    }
    // Nobody approves of what they ask for themselves.
    if (!isModerator || name === request.requester) return
    request.approvers.set(name, by)
    request.isApproved = this.#options.isEnough([...request.approvers.values()])
    this.#options.tell(this.#event(request.isApproved ? fileTransferEvents.approve : fileTransferEvents.request, request))
  }

  /** Uses up an approval. Throws access denied when there is none, or for something else. */
  take(requestId: string, transfer: Pick<ApprovedTransfer, 'user' | 'location' | 'direction' | 'filename'>): void {
    const request = this.#request
    if (!request?.isApproved || request.id !== requestId)
      throw accessDenied('this file transfer was not approved; ask the moderators of the session again')
    this.#request = undefined
    const isSame =
      request.requester === transfer.user &&
      request.location === transfer.location &&
      request.direction === transfer.direction &&
      (request.direction === 'download' || request.filename === transfer.filename)
    if (!isSame) throw accessDenied('another file transfer was approved than this one; ask the moderators of the session again')
  }

  #event(event: FileTransferEvent['event'], { id, requester, approvers, location, direction, filename }: TransferRequest): PartyEvent {
    return {
      ei: 0,
      event,
      time: noTime,
      cluster_name: this.#options.clusterName,
      sid: this.#options.sid,
      requestID: id,
      approvers: [...approvers.keys()],
      requester,
      location,
      download: direction === 'download',
      filename,
    }
  }
}
