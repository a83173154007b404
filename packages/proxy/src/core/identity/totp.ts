/** Time-based codes of authenticator apps: 6 digits, SHA-1, 30 seconds, one period either way. */
import { generateSecret, generateURI, verify } from 'otplib'

const period = 30
const qrWidth = 456

export const newTotpSecret = (): string => generateSecret({ length: 20 })

/** The time step that a code belongs to; undefined when it is not one of now, the step before or the next. */
export async function matchTotp(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined
  const result = await verify({ strategy: 'totp', secret, token: code, epoch: Math.floor(now / 1000), epochTolerance: period })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

export const totpUri = (secret: string, user: string, issuer: string, host: string): string =>
  generateURI({ issuer, label: `${user}@${host}`, secret })

/** PNG, base64. */
export async function totpQrCode(uri: string): Promise<string> {
  // Loaded with the first invite, not with every start.
  const { toBuffer } = await import('qrcode')
  return (await toBuffer(uri, { type: 'png', width: qrWidth })).toString('base64')
}
