/** Second factors. */
export interface MfaDevicesTable {
  id: string
  user: string
  /** Unique per user. */
  name: string
  type: 'TOTP' | 'WebAuthn'
  /** Epoch milliseconds. */
  added: number
  last_used: number
  /** TOTP: the secret, sealed by the master key. */
  totp_secret: string | null
  /** TOTP: the last time step whose code was accepted. */
  totp_step: number | null
  /** WebAuthn: base64url, unique over all users. */
  credential_id: string | null
  /** WebAuthn: COSE key, base64url. */
  public_key: string | null
  sign_count: number
  /** 1 when the key can sign in without a user name. */
  resident: number
}
