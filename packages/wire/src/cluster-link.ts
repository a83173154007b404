/**
 * What a leaf cluster and its root say to each other. The leaf dials; both exchange three lines of JSON (challenge, hello,
 * verdict), signed by both; from then on the connection carries HTTP/2 with the leaf as the server.
 */
import * as z from 'zod/mini'

/** Name of the protocol, in ALPN and in `Upgrade`. */
export const linkProtocol = 'sallyport-cluster'
/** Where HTTP/1.1 is upgraded to it. */
export const linkPath = '/v1/webapi/trustedclusters/link'
/** Target of CONNECT: the leaf's own proxy, to which requests of HTTP/1.1 follow. */
export const proxyTarget = 'proxy'
/** On a request through the link: who asks, signed by the root. */
export const assertionHeader = 'sallyport-assertion'
/** Further requests to the leaf. `over` tells that a sign-in at the root, named by its id in assertions, has ended. */
export const linkPaths = { over: '/over' } as const

/** Milliseconds between two heartbeats of a leaf. */
export const linkHeartbeatEvery = 20_000

const name = z.string().check(z.minLength(1), z.maxLength(255))
const text = z.string().check(z.maxLength(1024))
const base64 = z.string().check(z.maxLength(8192))

export const linkChallengeWire = z.object({
  cluster: name,
  /** 32 bytes. */
  nonce: base64,
  /** The root's time, epoch milliseconds. */
  time: z.number(),
})
export const linkHelloWire = z.object({
  cluster: name,
  /** Changes with every start of the leaf's proxy. */
  instance: z.uuid(),
  version: name,
  /** 32 bytes, which the root signs. */
  nonce: base64,
  /** By the leaf's cluster key over `clusterProof`. */
  signature: base64,
})
export type LinkHello = z.output<typeof linkHelloWire>
export const linkVerdictWire = z.discriminatedUnion('status', [
  /** By the root's cluster key over `clusterProof`. */
  z.object({ status: z.literal('ok'), signature: base64 }),
  /** `later`: the same may be accepted soon, without anybody doing something at the leaf. */
  z.object({ status: z.literal('refused'), reason: text, later: z.boolean() }),
])
export type LinkVerdict = z.output<typeof linkVerdictWire>

/** What a leaf tells about itself. */
export const leafStateWire = z.object({
  nodeCount: z.number().check(z.nonnegative()),
  publicURL: text,
  authVersion: text,
  proxyVersion: text,
})
export type LeafState = z.output<typeof leafStateWire>

/**
 * A socket of the leaf: what a native client at the root jumps to. Bytes are in binary frames, notes in texts. The first
 * note of the leaf says whether it opens; what comes with `key` is answered by the root with `certificate`.
 */
export const jumpPath = '/webapi/sites/{clusterId}/jump'
export const jumpQuery = z.object({
  host: name,
  port: z.string().check(z.regex(/^\d{1,5}$/)),
})
export const jumpNoteWire = z.discriminatedUnion('note', [
  /** `key`: line of the public key with which the leaf answers in a server's place. */
  z.object({ note: z.literal('open'), key: z.optional(z.string().check(z.maxLength(1024))) }),
  z.object({ note: z.literal('refused'), text: z.string().check(z.maxLength(2048)) }),
  /** Of the root: a host certificate over that key, for the name that the client asked for. */
  z.object({ note: z.literal('certificate'), certificate: z.string().check(z.maxLength(8192)) }),
  /** No more bytes follow from here. */
  z.object({ note: z.literal('end') }),
  /** Of the root: what runs has to end, and why. */
  z.object({ note: z.literal('stop'), text: z.string().check(z.maxLength(2048)) }),
])
export type JumpNote = z.output<typeof jumpNoteWire>

const values = z.array(text).check(z.maxLength(1000))
/** Who asks, as the root knows them. `aud` binds it to one leaf, `req` to one request; none counts twice. */
export const assertionWire = z.object({
  iss: name,
  aud: name,
  jti: z.uuid(),
  /** Epoch milliseconds. */
  iat: z.number(),
  exp: z.number(),
  /** SHA-256, in hex, of method, space and target of the request. */
  req: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  user: name,
  roles: values,
  traits: z.record(z.string().check(z.maxLength(255)), values),
  /** Names the sign-in without giving its secret away. */
  login: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Epoch milliseconds at which the sign-in ends. */
  until: z.number(),
  mfaDevice: z.optional(text),
  /** Of somebody who came to the root with a certificate. */
  certificate: z.optional(
    z.object({
      /** Of those who came over SSH: line of the public key that they proved to hold there, and prove to hold here again. */
      key: z.optional(z.string().check(z.maxLength(1024))),
      /** Whether a hardware key has just confirmed it. */
      confirmed: z.boolean(),
      /** Epoch milliseconds at which it runs out. */
      expires: z.number(),
    }),
  ),
})
export type Assertion = z.output<typeof assertionWire>
