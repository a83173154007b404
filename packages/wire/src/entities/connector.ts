/** Ours: the default connector, and the outcome of a test sign-in. */
import * as z from 'zod/mini'

export const connectorTypes = ['local', 'oidc', 'saml', 'github'] as const

/** Stands for a secret that is stored. A document that is sent back with it keeps that secret. */
export const maskedSecret = '********'

export const defaultConnectorWire = z.object({
  type: z.enum(connectorTypes),
  /** Empty for local sign-in without a name of its own. */
  name: z.string(),
  /** Whether people may sign in with a password or passkey. */
  localAuthEnabled: z.boolean(),
})
export type DefaultConnector = z.output<typeof defaultConnectorWire>

export const connectorTestWire = z.object({
  state: z.enum(['pending', 'success', 'failed', 'expired']),
  /** Who would be signed in. Empty while pending. */
  user: z.string(),
  /** What the provider said about them; values are text. */
  claims: z.record(z.string(), z.array(z.string())),
  /** Which mappings matched, in the words of the document. */
  mappings: z.array(z.object({ claim: z.string(), value: z.string(), roles: z.array(z.string()) })),
  /** The roles that result. */
  roles: z.array(z.string()),
  /** One sentence; empty unless failed. */
  error: z.string(),
})
export type ConnectorTest = z.output<typeof connectorTestWire>
