/** How a plugin is. */
export interface PluginStatesTable {
  plugin: string
  /** Epoch milliseconds, as all times here. What was asked for before it was enrolled is not told of. */
  since: number
  /** As the wire numbers them. */
  status_code: number
  details: string
  /** Failures in a row of the service as a whole; it is not called before `due`. */
  attempts: number
  due: number
  /** When somebody last looked whether it lets the cluster in. */
  checked: number
}

/** What a plugin has to tell one recipient about one request, and has told. */
export interface PluginMessagesTable {
  plugin: string
  request: string
  /** `plan`: marks that the others of the request stand here. */
  purpose: 'plan' | 'review' | 'answer'
  recipient: string
  /** Found by who they are, not named in the settings: 0 or 1. That the service does not know them is no failure. */
  personal: number
  /** The stage of the request that was told last; empty before the first. */
  told: string
  /** What the service calls the message, for changing it. */
  handle: string
  attempts: number
  due: number
  /** Whoever is telling it, and until when nobody else may. */
  claim: string
  claimed_until: number
  /** Nothing is left to tell: 0 or 1. */
  settled: number
  /** Of the last attempt; 0 and empty when it went well. */
  error_code: number
  error: string
}
