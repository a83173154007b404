/** What a leaf keeps of a root beside its document. */
export interface RootClustersTable {
  name: string
  /** Lines of the keys with which the root proves itself and signs who asks, as JSON text. */
  public_keys: string
  /** What the root gave when this cluster joined, as JSON text. */
  authorities: string
  /** Of the join token: another one in a document is a change. */
  token_hash: string
  /** Epoch milliseconds; 0 when it never was. */
  last_connected: number
}
