/** Commands that wait for an approval at one proxy and are looked for at another. */
export interface HeadlessSearchesTable {
  user: string
  id: string
  /** `sought` until the proxy at which the command waits has told of it; `deciding` while a decision is written down. */
  state: 'sought' | 'pending' | 'deciding' | 'approved' | 'denied'
  /** JSON of who waits with what; null while it is sought. */
  request: string | null
  /** 1 when its user has seen it. */
  announced: number
  /** Id of the device that approved it. */
  device: string | null
  /** Epoch milliseconds. */
  expires: number
}
