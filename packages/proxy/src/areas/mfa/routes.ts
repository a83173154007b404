/** Second-factor challenges and devices. */
import { ok } from '@sallyport/wire/call.ts'
import {
  addDevice,
  authenticateChallenge,
  authenticateChallengePassword,
  beginSignIn,
  createPrivilegeToken,
  devices,
  finishSignIn,
  registerChallenge,
  removeDevice,
  renameDevice,
} from '@sallyport/wire/calls/mfa.ts'
import { recoveryDevices } from '@sallyport/wire/calls/recovery.ts'
import { accessDenied, AppError, badParameter } from '../../core/errors.ts'
import { toDeviceWire } from '../../core/identity/devices.ts'
import type { Devices } from '../../core/identity/devices.ts'
import type { Enrolment } from '../../core/identity/enrolment.ts'
import type { Factors } from '../../core/identity/factors.ts'
import { FactorError, isLocked } from '../../core/identity/lockout.ts'
import type { Lockout } from '../../core/identity/lockout.ts'
import type { OwnDevices } from '../../core/identity/own-devices.ts'
import type { Privilege } from '../../core/identity/privilege.ts'
import { clearSessionCookie, setSessionCookie } from '../../core/identity/session-cookie.ts'
import type { SignIn } from '../../core/identity/sign-in.ts'
import type { WebSessions } from '../../core/identity/web-sessions.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface MfaAreaDeps {
  signIn: SignIn
  factors: Factors
  lockout: Pick<Lockout, 'guard'>
  devices: Pick<Devices, 'of'>
  enrolment: Enrolment
  privilege: Privilege
  ownDevices: OwnDevices
  sessions: Pick<WebSessions, 'find' | 'end'>
}

export function mfaRoutes({ signIn, factors, lockout, devices: stored, enrolment, privilege, ownDevices, sessions }: MfaAreaDeps): Route[] {
  return [
    on(beginSignIn, ({ body, client }) =>
      body.passwordless ? signIn.beginPasswordless() : signIn.begin({ user: body.user ?? '', password: body.pass ?? '' }, client),
    ),
    on(finishSignIn, async ({ body, client, reply }) => {
      const started = await signIn.finish(body.user || undefined, body.webauthnAssertionResponse, client)
      setSessionCookie(reply, started.cookie)
      return started.answer
    }),
    on(authenticateChallenge, ({ caller }) =>
      factors.challenge({ for: 'confirm', user: caller.username }).catch((cause: unknown) => {
        throw cause instanceof AppError ? accessDenied('unable to create MFA challenges', { cause }) : cause
      }),
    ),
    on(authenticateChallengePassword, async ({ body, caller, reply }) => {
      const user = caller.username
      try {
        await lockout.guard(user, 'partial', () => factors.password(user, body.pass))
      } catch (error) {
        if (error instanceof FactorError) throw badParameter('invalid username or password', { cause: error })
        if (isLocked(error)) {
          // Somebody guesses the password at this screen: the session is not theirs for sure.
          const session = await sessions.find({ user, sid: caller.sessionId })
          if (session) await sessions.end(session)
          clearSessionCookie(reply)
        }
        throw error
      }
      return factors.challenge({ for: 'confirm', user })
    }),
    on(registerChallenge, ({ params, body }) => enrolment.challenge(params.token, body.deviceType, body.deviceUsage || 'mfa')),
    on(devices, async ({ caller }) => (await stored.of(caller.username)).map(toDeviceWire)),
    on(recoveryDevices, async ({ params }) => (await ownDevices.ofRecovery(params.token)).map(toDeviceWire)),
    on(createPrivilegeToken, async ({ body, caller }) => {
      const proof = { code: body.secondFactorToken ?? '', assertion: body.webauthnAssertionResponse ?? undefined }
      return (await privilege(caller.username, proof)).tokenId
    }),
    on(addDevice, async ({ body, caller }) => {
      await ownDevices.add(caller.username, body.tokenId, {
        deviceName: body.deviceName,
        code: body.secondFactorToken ?? '',
        attestation: body.webauthnRegisterResponse ?? undefined,
        usage: body.deviceUsage || 'mfa',
      })
      return ok
    }),
    on(removeDevice, async ({ params: { token, name } }) => {
      await ownDevices.remove(token, name)
      return ok
    }),
    on(renameDevice, async ({ params, body }) => {
      await ownDevices.rename(params.token, params.name, body.name)
      return ok
    }),
  ]
}
