/** Invite and reset tokens, and what completing one answers. */
import * as z from 'zod/mini'

export const createdUserTokenWire = z.object({ tokenId: z.string(), user: z.string(), expiry: z.string() })

export const resetTokenWire = z.object({
  /** Peers may leave it out: who asks knows it. */
  tokenId: z._default(z.string(), ''),
  user: z._default(z.string(), ''),
  qrCode: z._default(z.string(), ''),
  /** Ours: the secret inside the QR code, in base32, for those who cannot scan it. */
  totpSecret: z._default(z.string(), ''),
  expiry: z._default(z.string(), '0001-01-01T00:00:00Z'),
})
export type ResetTokenWire = z.output<typeof resetTokenWire>

export interface ResetToken {
  value: string
  username: string
  expires: string
  qrCode: string
  /** Empty when the proxy does not tell it. */
  totpSecret: string
}

export const toResetToken = (wire: ResetTokenWire): ResetToken => ({
  value: wire.tokenId,
  username: wire.user,
  expires: wire.expiry,
  qrCode: wire.qrCode,
  totpSecret: wire.totpSecret,
})

/** Ours. */
export const recoveryTokenWire = z.object({ tokenId: z.string(), expiry: z.string() })
/** Ours: codes are told once. */
export const recoveryCodesWire = z.object({ codes: z.array(z.string()), created: z.string() })

export const recoveryWire = z.object({
  recovery: z._default(z.object({ codes: z.optional(z.array(z.string())), created: z.optional(z.string()) }), {}),
  privateKeyPolicyEnabled: z.optional(z.boolean()),
})
export type RecoveryWire = z.output<typeof recoveryWire>

export interface Recovery {
  codes: string[]
  createdDate: Date | undefined
  privateKeyPolicyEnabled: boolean
}

export const toRecovery = (wire: RecoveryWire): Recovery => ({
  codes: wire.recovery.codes ?? [],
  createdDate: wire.recovery.created ? new Date(wire.recovery.created) : undefined,
  privateKeyPolicyEnabled: wire.privateKeyPolicyEnabled ?? false,
})
