/** What the holder of a link is shown to register a device with: a QR code, or a challenge for a key. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { RegisterChallenge } from '@sallyport/wire/entities/mfa.ts'
import type { Database } from '../../store/db.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { accessDenied, badParameter } from '../errors.ts'
import type { Site } from '../site.ts'
import type { Devices } from './devices.ts'
import { refusedTypes } from './new-device.ts'
import { allowsCodes, allowsKeys } from './second-factor-mode.ts'
import { isSetUpToken } from './set-up.ts'
import { totpQrCode, totpUri } from './totp.ts'
import type { UserToken, UserTokens } from './user-tokens.ts'
import type { KeyUsage, Webauthn } from './webauthn.ts'

export interface Enrolment {
  /** Undefined when the link is unknown, used up or expired. Every reading makes a new authenticator secret. */
  read(tokenId: string): Promise<{ user: string; qrCode: string; secret: string } | undefined>
  challenge(tokenId: string, deviceType: string, usage: KeyUsage): Promise<RegisterChallenge>
}

export interface EnrolmentDeps {
  db: Kysely<Database>
  tokens: UserTokens
  devices: Devices
  webauthn: Webauthn
  site: Site
  clusterName: string
  settings: Pick<ClusterSettings, 'authPreference'>
}

export function createEnrolment({ db, tokens, devices, webauthn, site, clusterName, settings }: EnrolmentDeps): Enrolment {
  async function newCode(token: UserToken): Promise<{ qrCode: string; secret: string }> {
    const secret = await tokens.rotateTotp(token)
    return { secret, qrCode: await totpQrCode(totpUri(secret, token.user, clusterName, site.hostname)) }
  }
  /** How keys know the user; those of an identity provider get theirs with their first key. */
  async function handleOf(user: string): Promise<string> {
    await db
      .insertInto('credentials')
      .values({ user, password_hash: null, user_handle: randomUUID() })
      .onConflict((conflict) => conflict.column('user').doNothing())
      .execute()
    return (await db.selectFrom('credentials').select('user_handle').where('user', '=', user).executeTakeFirstOrThrow()).user_handle
  }
  async function creation(user: string, usage: KeyUsage): Promise<RegisterChallenge> {
    const keys = (await devices.of(user)).filter((device) => device.type === 'WebAuthn')
    return {
      totp: null,
      webauthn: { publicKey: await webauthn.creationOptions({ name: user, handle: await handleOf(user) }, usage, keys) },
    }
  }
  return {
    async read(tokenId) {
      const token = await tokens.find(tokenId)
      return token && isSetUpToken(token) ? { user: token.user, ...(await newCode(token)) } : undefined
    },
    async challenge(tokenId, deviceType, usage) {
      const token = await tokens.find(tokenId)
      if (!token || !canRegister(token)) throw accessDenied('invalid token')
      if (deviceType !== 'totp' && deviceType !== 'webauthn') throw badParameter(`MFA device type "${deviceType}" unsupported`)
      const { second_factor: mode, allow_passwordless: allowPasswordless } = settings.authPreference
      if (mode === 'off') throw badParameter(refusedTypes.off)
      if (deviceType === 'totp') {
        if (!allowsCodes(mode)) throw badParameter(refusedTypes.code)
        return { totp: await newCode(token), webauthn: null }
      }
      if (!allowsKeys(mode)) throw badParameter(refusedTypes.key)
      if (usage === 'passwordless' && !allowPasswordless) throw badParameter(refusedTypes.passwordless)
      return creation(token.user, usage)
    },
  }
}

/** Recovery takes a new device only for one that was lost, and only once. */
const canRegister = ({ kind, lost }: UserToken): boolean => (kind === 'recovery_approved' ? lost === 'mfa' : kind !== 'recovery_start')
