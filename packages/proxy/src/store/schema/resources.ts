/** Documents: one row per resource, whatever its kind. */
export interface ResourcesTable {
  kind: string
  name: string
  /** Changes with every write. */
  revision: string
  /** The document as JSON text, its metadata without the revision. */
  document: string
  /** Epoch milliseconds after which the resource no longer exists; null for never. */
  expires: number | null
}
