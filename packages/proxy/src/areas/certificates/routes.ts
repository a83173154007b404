/** Signing in on the command line: certificates for a key, after password and second factor or an approval in a browser. */
import type { FastifyReply } from 'fastify'
import * as calls from '@sallyport/wire/calls/certificates.ts'
import type { BodyOf } from '@sallyport/wire/call.ts'
import type { Audit } from '../../core/audit/audit.ts'
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
  audit: Pick<Audit, 'emit'>
}

const nanoseconds = 1_000_000

export function certificatesRoutes({ signIn, headless, people, certificates, audit }: CertificatesAreaDeps): Route[] {
  /** Reads a key; what is no key is a refused attempt like any other. */
  async function keyOf(user: string, encodedKey: string, client: Client): Promise<ReturnType<typeof readPublicKey>> {
    try {
      return readPublicKey(encodedKey)
    } catch (error) {
      await refused(user, error instanceof Error ? error.message : String(error), client)
      throw error
    }
  }
  const refused = (user: string, error: string, client: Client) =>
    audit.emit('T3007W', { user, success: false, error, 'addr.remote': client.address })

  async function afterApproval(
    { user, headless_id: id, pub_key: encodedKey, ttl, access_requests }: BodyOf<typeof calls.signInCommandLine>,
    client: Client,
    signal: AbortSignal,
  ) {
    const { line, key, headlessId } = await keyOf(user, encodedKey, client)
    // The id stands for the key: an approval cannot be turned to another one.
    if (id !== headlessId) {
      await refused(user, 'the id of the headless sign-in belongs to another key', client)
      throw accessDenied('headless authentication failed')
    }
    const device = await headless.wait({ id, user, publicKey: line, client }, signal)
    const person = await people.find(user)
    if (!person) throw accessDenied('headless authentication failed')
    return certificates.issue({
      person,
      deviceId: device.id,
      isKeyProof: true,
      publicKey: key,
      ttl: ttl / nanoseconds,
      client,
      requests: access_requests,
    })
  }

  const sendAuthority = async (type: string, reply: FastifyReply): Promise<FastifyReply> =>
    reply.type('text/plain; charset=utf-8').send(await certificates.exportAuthority(type))

  return [
    on(calls.finishCommandLine, async ({ body, client }) => {
      const { key } = await keyOf(body.user, body.pub_key, client)
      const assertion = body.webauthn_challenge_response ?? undefined
      const { person, device } = await signIn.prove({ user: body.user, password: body.password, code: body.totp_code, assertion }, client)
      return certificates.issue({
        person,
        deviceId: device?.id,
        isKeyProof: assertion !== undefined,
        publicKey: key,
        ttl: body.ttl / nanoseconds,
        client,
        requests: body.access_requests,
      })
    }),
    on(calls.signInCommandLine, async ({ body, client, signal }) => {
      if (body.headless_id !== '') return afterApproval(body, client, signal)
      const { key } = await keyOf(body.user, body.pub_key, client)
      const { person, device } = await signIn.prove({ user: body.user, password: body.password, code: body.otp_token }, client)
      const { ttl, access_requests: requests } = body
      return certificates.issue({ person, deviceId: device?.id, publicKey: key, ttl: ttl / nanoseconds, client, requests })
    }),
    on(calls.exportAuthority, async ({ query, reply }) => sendAuthority(query.type, reply)),
    on(calls.exportClusterAuthority, async ({ query, reply }) => sendAuthority(query.type, reply)),
  ]
}
