/** Recovery codes, and getting back into an account with one. */
import {
  completeRecovery,
  createRecoveryCodes,
  recoveryChallenge,
  recoveryCodes,
  startRecovery,
  verifyRecovery,
} from '@sallyport/wire/calls/recovery.ts'
import { decodePassword } from '../../core/identity/passwords.ts'
import { codesWire } from '../../core/identity/recovery-codes.ts'
import type { RecoveryCodes } from '../../core/identity/recovery-codes.ts'
import type { Recovery } from '../../core/identity/recovery.ts'
import type { NewUserToken } from '../../core/identity/user-tokens.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface RecoveryAreaDeps {
  recovery: Recovery
  codes: Pick<RecoveryCodes, 'createdAt'>
}

export function recoveryRoutes({ recovery, codes }: RecoveryAreaDeps): Route[] {
  return [
    on(startRecovery, async ({ body, client }) => tokenWire(await recovery.start(body, client))),
    on(recoveryChallenge, ({ params }) => recovery.challenge(params.token)),
    on(verifyRecovery, async ({ params, body, client }) => {
      const proof = {
        password: decodePassword(body.password ?? ''),
        code: body.second_factor_token ?? '',
        assertion: body.webauthnAssertionResponse ?? undefined,
      }
      return tokenWire(await recovery.verify(params.token, proof, client))
    }),
    on(completeRecovery, async ({ params, body }) => {
      const replacement = {
        password: decodePassword(body.password ?? ''),
        code: body.second_factor_token ?? '',
        attestation: body.webauthnCreationResponse ?? undefined,
        deviceName: body.deviceName ?? '',
      }
      return { recovery: codesWire(await recovery.complete(params.token, replacement)) }
    }),
    on(recoveryCodes, async ({ caller }) => {
      const created = await codes.createdAt(caller.username)
      return created === undefined ? {} : { created: new Date(created).toISOString() }
    }),
    on(createRecoveryCodes, async ({ body, caller }) => codesWire(await recovery.renewCodes(caller.username, body.tokenId))),
  ]
}

const tokenWire = ({ tokenId, expires }: NewUserToken) => ({ tokenId, expiry: new Date(expires).toISOString() })
