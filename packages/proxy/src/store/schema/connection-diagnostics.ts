/** Outcomes of connection tests, for those who asked for them. */
export interface ConnectionDiagnosticsTable {
  id: string
  user: string
  /** As the wire shows it, as JSON text. */
  document: string
  /** Epoch milliseconds. */
  expires: number
}
