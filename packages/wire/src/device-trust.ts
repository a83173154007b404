/**
 * How a device enrolls and proves itself: one subsystem of the connection that `sallyport login` has a certificate for. Each
 * side sends lines of JSON: the request, the challenge, the proof, the answer. Ours.
 */
import * as z from 'zod/mini'
import { certificatesWire } from './calls/certificates.ts'

export const deviceSubsystem = 'device@sallyport'
/** The longest line, in characters. */
export const deviceLineMax = 16 * 1024

const text = z.string().check(z.minLength(1), z.maxLength(4096))

export const deviceRequest = z.discriminatedUnion('do', [
  /** `publicKey`: of the device, in PEM. */
  z.object({ do: z.literal('enroll'), token: text, publicKey: text }),
  /** `device`: its id. */
  z.object({ do: z.literal('authenticate'), device: text }),
])
export type DeviceRequest = z.output<typeof deviceRequest>

export const deviceProof = z.object({
  /** ECDSA over P-256 and SHA-256 of the statement, as DER in base64. */
  signature: text,
})

const refusal = z.object({ error: z.string() })
export const deviceChallenge = z.union([z.object({ challenge: text }), refusal])
export const deviceAnswer = z.union([
  z.object({ enrolled: z.object({ id: z.string(), assetTag: z.string() }) }),
  z.object({ certificates: certificatesWire }),
  refusal,
])
/** As the proxy gives it. */
export type DeviceAnswerInput = z.input<typeof deviceAnswer>
export type DeviceAnswer = z.output<typeof deviceAnswer>

/** What the device signs. It holds for one act, one cluster, one challenge, and the one key of the person (`type base64`) that is certified. */
export const deviceStatement = (
  act: DeviceRequest['do'],
  { cluster, key, challenge }: { cluster: string; key: string; challenge: string },
) => ['sallyport-device-v1', act, cluster, key.split(' ').slice(0, 2).join(' '), challenge].join('\n')
