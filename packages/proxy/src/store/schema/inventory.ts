/** Heartbeats: what is registered right now. */
export interface InventoryTable {
  kind: string
  id: string
  /** The heartbeat as JSON text. */
  document: string
  /** Epoch milliseconds after which it counts as gone. */
  expires: number
}
