/** How a host becomes one of the cluster, and how a bot comes in. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { certificatesWire, publicKeyText } from './certificates.ts'
import { clusterNewsWire, hostId, labelsWire } from '../tunnel.ts'

/** Public: the token is what is proved. Every token that is not good gets the same answer. */
export const joinHost = call({
  id: 'join.host',
  method: 'POST',
  path: '/v1/webapi/hosts/join',
  allow: 'public',
  limit: 'low',
  body: z.object({
    token: z.string().check(z.minLength(1), z.maxLength(255)),
    host_id: hostId,
    hostname: z.string().check(z.minLength(1), z.maxLength(255)),
    /** What it joins as first of all; its token may let it be more. */
    role: z._default(z.string().check(z.maxLength(64)), 'Node'),
    /** Line of an OpenSSH public key. */
    public_key: z.string().check(z.maxLength(4096)),
    /** Of that key over `hostProof('join', token, host_id)`, as SSH signs, in base64. */
    proof: z.string().check(z.maxLength(4096)),
  }),
  out: z.extend(clusterNewsWire, {
    certificate: z.string(),
    /** Given by the token; they count over what the agent says. */
    labels: labelsWire,
  }),
})

/** Public: the token is what is proved, for this one bot. */
export const joinBot = call({
  id: 'join.bot',
  method: 'POST',
  path: '/v1/webapi/bots/join',
  allow: 'public',
  limit: 'low',
  body: z.object({
    token: z.string().check(z.minLength(1), z.maxLength(255)),
    /** Its own name: that of its user without `bot-`. */
    bot: z.string().check(z.minLength(1), z.maxLength(250)),
    /** Base64 of the line of an OpenSSH public key. */
    pub_key: publicKeyText,
    /** Nanoseconds; 0 for the longest, which is an hour. */
    ttl: z._default(z.number().check(z.nonnegative()), 0),
  }),
  out: certificatesWire,
})
