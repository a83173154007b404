/** Leaf clusters that joined this one. */
export interface RemoteClustersTable {
  name: string
  /** Line of the key with which the leaf proves itself. */
  public_key: string
  /** What the leaf gave when it joined, as JSON text. */
  authorities: string
  /** Labels of the token it joined with, as JSON text. */
  labels: string
  /** Epoch milliseconds. */
  joined: number
  /** Epoch milliseconds of its last heartbeat; 0 when there was none. */
  last_connected: number
  /** Until then it counts as connected, if nobody knows better. */
  online_until: number
  /** What it told last, as JSON text. */
  state: string
}
