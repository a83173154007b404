/** What every kind of plugin can do: tell a recipient, and tell them that something has changed. */
export interface Notice {
  /** The same for the same news to the same recipient, whoever sends it and however often. */
  key: string
  title: string
  facts: readonly Fact[]
  link: string
}
export interface Fact {
  label: string
  value: string
}

/** Each call rejects with DeliveryError, and with the signal's reason. */
export interface Messenger {
  /** Whether the service lets this cluster in. */
  check(signal: AbortSignal): Promise<void>
  /** By the handle that it gives the message can be changed. */
  post(recipient: string, notice: Notice, signal: AbortSignal): Promise<string>
  /** Puts the notice in the place of what was told before, or after it where that cannot be. Gives the handle from now on. */
  revise(recipient: string, handle: string, notice: Notice, signal: AbortSignal): Promise<string>
}
