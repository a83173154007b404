/** How a machine with nothing but OpenSSH on it becomes a server of the cluster. */
import * as z from 'zod/mini'
import { call } from '../call.ts'

const token = z.string().check(z.maxLength(4096))

/** Ours. A shell script, for a token that is not good as well: then it says so and fails. */
export const installOpenSsh = call({
  id: 'scripts.installOpenSsh',
  method: 'GET',
  path: '/scripts/{token}/install-openssh.sh',
  allow: 'public',
  limit: 'high',
  params: z.object({ token }),
  answer: 'raw',
})
/**
 * Ours, for that script: the token is what is proved. The answer is text, one `name value` on each line: `id`, `address`
 * and, for keys that can have one, `certificate`.
 */
export const enrollOpenSsh = call({
  id: 'scripts.enrollOpenSsh',
  method: 'POST',
  path: '/v1/webapi/hosts/openssh',
  allow: 'public',
  limit: 'low',
  body: z.object({
    token: z.string().check(z.minLength(1), z.maxLength(255)),
    hostname: z.string().check(z.maxLength(255)),
    /** Where sshd is reached; empty: where the request comes from. */
    address: z._default(z.string().check(z.maxLength(255)), ''),
    port: z.int().check(z.minimum(1), z.maximum(65_535)),
    /** Line of the host's public key. */
    public_key: z.string().check(z.maxLength(4096)),
    /** `name=value`, commas between them. */
    labels: z._default(z.string().check(z.maxLength(8192)), ''),
  }),
  answer: 'raw',
})
