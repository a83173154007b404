/** Signing in on the command line: certificates for a key, after password and second factor or an approval in a browser. */
import * as calls from '@sallyport/wire/calls/certificates.ts'
import { readPublicKey } from '../../core/certificates.ts'
import type { Certificates } from '../../core/certificates.ts'
import { accessDenied } from '../../core/errors.ts'
import type { Headless } from '../../core/identity/headless.ts'
import type { People } from '../../core/identity/people.ts'
import type { SignIn } from '../../core/identity/sign-in.ts'
import { on } from '../../core/route.ts'
import type { Client, Route } from '../../core/route.ts'

export interface CertificatesAreaDeps {
  signIn: Pick<SignIn, 'prove'>
  headless: Pick<Headless, 'wait'>
  people: Pick<People, 'find'>
  certificates: Certificates
}

const nanoseconds = 1_000_000

export function certificatesRoutes({ signIn, headless, people, certificates }: CertificatesAreaDeps): Route[] {
  async function afterApproval(user: string, id: string, encodedKey: string, ttl: number, client: Client, signal: AbortSignal) {
    const { line, key, headlessId } = readPublicKey(encodedKey)
    // The id stands for the key: an approval cannot be turned to another one.
    if (id !== headlessId) throw accessDenied('headless authentication failed')
    const device = await headless.wait({ id, user, publicKey: line, client }, signal)
    const person = await people.find(user)
    if (!person) throw accessDenied('headless authentication failed')
    return certificates.issue({ person, deviceId: device.id, publicKey: key, ttl, client })
  }

  return [
    on(calls.finishCommandLine, async ({ body, client }) => {
      const { key } = readPublicKey(body.pub_key)
      const assertion = body.webauthn_challenge_response ?? undefined
      const { person, device } = await signIn.prove({ user: body.user, password: body.password, code: body.totp_code, assertion }, client)
      return certificates.issue({ person, deviceId: device?.id, publicKey: key, ttl: body.ttl / nanoseconds, client })
    }),
    on(calls.signInCommandLine, async ({ body, client, signal }) => {
      const ttl = body.ttl / nanoseconds
      if (body.headless_id !== '') return afterApproval(body.user, body.headless_id, body.pub_key, ttl, client, signal)
      const { key } = readPublicKey(body.pub_key)
      const { person, device } = await signIn.prove({ user: body.user, password: body.password, code: body.otp_token }, client)
      return certificates.issue({ person, deviceId: device?.id, publicKey: key, ttl, client })
    }),
    on(calls.exportAuthority, async ({ query, reply }) => {
      const text = await certificates.exportAuthority(query.type)
      return reply.type('text/plain; charset=utf-8').send(text)
    }),
  ]
}
