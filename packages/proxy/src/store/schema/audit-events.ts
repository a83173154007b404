/** The audit chain. Rows are only ever added. */
export interface AuditEventsTable {
  /** 1, 2, 3 … without a gap. */
  seq: number
  /** Epoch milliseconds. */
  time: number
  type: string
  code: string
  uid: string
  user: string
  sid: string
  /** The event as JSON text, exactly as it was hashed. */
  doc: string
  prev_hash: string
  /** SHA-256, hexadecimal, over prev_hash and the row (see core/audit/chain.ts). */
  hash: string
}

/** Where the chain ends; its one row changes in the transaction that adds events. */
export interface AuditHeadTable {
  id: 1
  seq: number
  hash: string
}
