/** Why somebody was not told, in words for whoever keeps the plugin: what happened and what to do next. Never with a secret. */
import { pluginStatus } from '@sallyport/wire/entities/integration.ts'
import type { PluginStatus } from '@sallyport/wire/entities/integration.ts'

interface DeliveryErrorOptions extends ErrorOptions {
  status?: PluginStatus
  /** Whether nothing goes through, or only what is for this recipient. */
  of?: 'service' | 'recipient'
  /** Trying again would change nothing. */
  isFinal?: boolean
  /** The service asks for so much patience, in milliseconds. */
  retryAfter?: number | undefined
}

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly status: PluginStatus
  readonly of: 'service' | 'recipient'
  readonly isFinal: boolean
  readonly retryAfter: number | undefined
  constructor(message: string, { status, of, isFinal, retryAfter, cause }: DeliveryErrorOptions = {}) {
    super(message, { cause })
    this.status = status ?? pluginStatus.error
    this.of = of ?? 'service'
    this.isFinal = isFinal ?? false
    this.retryAfter = retryAfter
  }
}

export const unauthorized = (message: string, cause?: unknown): DeliveryError =>
  new DeliveryError(message, { status: pluginStatus.unauthorized, cause })
/** Nobody, and no channel, has this name there. */
export const unknownRecipient = (message: string, cause?: unknown): DeliveryError =>
  new DeliveryError(message, { of: 'recipient', isFinal: true, cause })
export const notInChannel = (message: string): DeliveryError =>
  new DeliveryError(message, { status: pluginStatus.notInChannel, of: 'recipient' })
