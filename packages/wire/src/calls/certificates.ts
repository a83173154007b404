/** Certificates for people: sign-in from the command line, and the keys of the authorities that signed them. */
import * as z from 'zod/mini'
import { call, listOf } from '../call.ts'
import { assertionWire } from '../entities/mfa.ts'

const name = z._default(z.string().check(z.maxLength(255)), '')
const secret = z._default(z.string().check(z.maxLength(1024)), '')
export const publicKeyText = z.string().check(z.maxLength(16 * 1024))

/** Ours: ids of approved access requests that are assumed with the certificate. */
export const requestsToAssume = z._default(z.array(z.string().check(z.minLength(1), z.maxLength(255))).check(z.maxLength(8)), [])

/** What is certified. Fields of the original that route to other clusters are accepted and have no effect. */
const key = {
  /** Base64 of the line of an OpenSSH public key. */
  pub_key: publicKeyText,
  /** Nanoseconds; 0 for the longest that is allowed. */
  ttl: z._default(z.number().check(z.nonnegative()), 0),
  compatibility: z.optional(z.string().check(z.maxLength(64))),
  RouteToCluster: z.optional(z.string().check(z.maxLength(255))),
  KubernetesCluster: z.optional(z.string().check(z.maxLength(255))),
  access_requests: requestsToAssume,
}

export const certificatesWire = z.object({
  username: z.string(),
  /** Base64 of the line of an OpenSSH certificate. */
  cert: z.string(),
  /** Base64 of a PEM certificate. */
  tls_cert: z.string(),
  /** Who signs the keys of hosts; lines and PEM texts, each in base64. */
  host_signers: listOf(z.object({ domain_name: z.string(), checking_keys: listOf(z.string()), tls_certs: listOf(z.string()) })),
  /** Ours: roles of the person want a request before anything else, and none is assumed. */
  access_strategy: z.optional(z.object({ type: z.string(), prompt: z.string() })),
})
export type CertificatesWire = z.output<typeof certificatesWire>

export const finishCommandLine = call({
  id: 'certificates.finishCommandLine',
  method: 'POST',
  path: '/v1/webapi/mfa/login/finish',
  allow: 'public',
  limit: 'low',
  body: z.object({
    user: name,
    password: secret,
    webauthn_challenge_response: z.nullish(assertionWire),
    totp_code: z._default(z.string().check(z.maxLength(32)), ''),
    ...key,
  }),
  out: certificatesWire,
})
/** With a headless id it answers when the user has approved in a browser. */
export const signInCommandLine = call({
  id: 'certificates.signInCommandLine',
  method: 'POST',
  path: '/v1/webapi/ssh/certs',
  allow: 'public',
  limit: 'low',
  limitAnonymousOnly: true,
  body: z.object({
    user: name,
    password: secret,
    otp_token: z._default(z.string().check(z.maxLength(32)), ''),
    headless_id: z._default(z.string().check(z.maxLength(64)), ''),
    ...key,
  }),
  out: certificatesWire,
})
/** `user` and `tls-user` sign what people hold, `openssh` the proxy's own logins, `host` the hosts, `db` databases and the logins on them. Text: a line of an OpenSSH file, or PEM. */
const exported = {
  method: 'GET',
  allow: 'public',
  limit: 'high',
  query: z.object({ type: z._default(z.string().check(z.maxLength(32)), 'user') }),
  answer: 'raw',
} as const
export const exportAuthority = call({ id: 'certificates.exportAuthority', path: '/v1/webapi/auth/export', ...exported })
/** Where older clients ask for it: the own cluster's, whatever cluster the path names. */
export const exportClusterAuthority = call({
  id: 'certificates.exportClusterAuthority',
  path: '/v1/webapi/sites/{cluster}/auth/export',
  params: z.object({ cluster: z.string().check(z.maxLength(255)) }),
  ...exported,
})
