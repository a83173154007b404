/**
 * Who asks through a link: the root signs it for one leaf and one request, the leaf takes it once and only for seconds.
 * A cookie or a bearer of the root never leaves the root.
 */
import { createHash, randomUUID } from 'node:crypto'
import { clusterProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { parsePublicKey, verifySsh } from '@sallyport/protocols/ssh/keys.ts'
import { assertionWire } from '@sallyport/wire/cluster-link.ts'
import type { Assertion } from '@sallyport/wire/cluster-link.ts'
import type { ClusterKey } from '../authorities/authorities.ts'
import type { Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { accessDenied } from '../errors.ts'
import { hashOf } from '../identity/secrets.ts'

const lifetime = 30_000
/** The clocks of two clusters may differ by that much. */
const tolerance = 60_000
/** In a header of HTTP, so that one with thousands of traits is told why it cannot be sent. */
const longest = 12 * 1024

export interface AskedRequest {
  readonly method: string
  /** Path and query, as they are sent. */
  readonly target: string
}

const requestHash = ({ method, target }: AskedRequest): string => createHash('sha256').update(`${method} ${target}`).digest('hex')

/** The same in every assertion of one sign-in; its session cannot be told from it. */
export const loginOf = ({ sessionId }: Pick<Caller, 'sessionId'>): string => hashOf(`cluster-login/${sessionId}`)

export interface SignDeps {
  clusterKey: ClusterKey
  clusterName: string
  clock: Clock
}

/** Throws access denied for somebody of whom there is too much to tell. */
export function signAssertion({ clusterKey, clusterName, clock }: SignDeps, leaf: string, caller: Caller, request: AskedRequest): string {
  const now = clock.now()
  const assertion: Assertion = {
    iss: clusterName,
    aud: leaf,
    jti: randomUUID(),
    iat: now,
    exp: now + lifetime,
    req: requestHash(request),
    user: caller.username,
    roles: [...caller.roles],
    traits: Object.fromEntries(Object.entries(caller.traits).map(([name, values]) => [name, [...values]])),
    login: loginOf(caller),
    until: caller.sessionExpires,
    ...(caller.mfaDevice !== undefined && { mfaDevice: caller.mfaDevice }),
    ...(caller.certificate && { certificate: caller.certificate }),
  }
  const payload = Buffer.from(JSON.stringify(assertion))
  const text = `${payload.toString('base64url')}.${clusterKey.sign(clusterProof('assertion', payload)).toString('base64url')}`
  if (text.length > longest)
    throw accessDenied(
      'access to cluster denied: your roles and traits are too many to be told to another cluster; ask an administrator to shorten them',
    )
  return text
}

export interface Verifier {
  /** Throws access denied unless it is one of `root` for this cluster and this request, is valid now, and was not seen before. */
  verify(text: string, root: { name: string; publicKeys: readonly string[] }, request: AskedRequest): Assertion
  /** The cluster that it says to be of: nothing of it is checked. */
  issuerOf(text: string): string | undefined
}

/** `seenAtMost`: assertions that are remembered; beyond that new ones are refused until old ones lapse. */
export function createVerifier({ clusterName, clock }: { clusterName: string; clock: Clock }, seenAtMost = 200_000): Verifier {
  /** Id → when it lapses, in the order in which they came. */
  const seen = new Map<string, number>()

  function parse(text: string): { assertion: Assertion; payload: Buffer; signature: Buffer } | undefined {
    const [first, second, ...more] = text.split('.')
    if (text.length > longest || !first || !second || more.length > 0) return undefined
    const payload = Buffer.from(first, 'base64url')
    try {
      const parsed = assertionWire.safeParse(JSON.parse(payload.toString('utf8')))
      return parsed.success ? { assertion: parsed.data, payload, signature: Buffer.from(second, 'base64url') } : undefined
    } catch {
      return undefined // refused by whoever asked
    }
  }
  function once({ jti, exp }: Assertion): boolean {
    const now = clock.now()
    for (const [id, lapses] of seen) {
      if (lapses > now) break
      seen.delete(id)
    }
    if (seen.has(jti) || seen.size >= seenAtMost) return false
    seen.set(jti, exp + tolerance)
    return true
  }

  return {
    issuerOf: (text) => parse(text)?.assertion.iss,
    verify(text, root, request) {
      const parsed = parse(text)
      if (!parsed) throw refused('it cannot be read')
      const { assertion, payload, signature } = parsed
      const proof = clusterProof('assertion', payload)
      if (!root.publicKeys.some((line) => verifySsh(parsePublicKey(line), proof, signature))) throw refused('it is not signed by the root')
      if (assertion.iss !== root.name) throw refused('it is of another cluster')
      if (assertion.aud !== clusterName) throw refused('it is for another cluster')
      const now = clock.now()
      if (assertion.iat > now + tolerance || assertion.exp < now - tolerance || assertion.exp > assertion.iat + lifetime)
        throw refused('it is not valid now; compare the clocks of both clusters')
      if (assertion.req !== requestHash(request)) throw refused('it is for another request')
      if (!once(assertion)) throw refused('it was used before')
      return assertion
    },
  }
}

const refused = (reason: string) => accessDenied(`access to cluster denied: the assertion of the root was refused: ${reason}`)
