/**
 * A device enrolls, or proves that it is one that has: it signs a challenge with a key that never leaves it. Whoever sits at it
 * has signed in before; with the proof they get certificates for the same key that name the device.
 */
import { randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { deviceStatement } from '@sallyport/wire/device-trust.ts'
import type { DeviceAnswerInput, DeviceRequest } from '@sallyport/wire/device-trust.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit } from '../audit/audit.ts'
import type { Actor } from '../caller.ts'
import type { Certificates } from '../certificates.ts'
import type { Clock } from '../clock.ts'
import { accessDenied, AppError, missingPermission } from '../errors.ts'
import type { People } from '../identity/people.ts'
import { hashOf } from '../identity/secrets.ts'
import { deviceFields, isSignedBy, readDeviceKey, trustedDevice } from './device.ts'
import type { Device, DeviceStore } from './device.ts'

/** Somebody with a certificate. */
export interface Prover extends Pick<Actor, 'username' | 'access' | 'assumed' | 'mfaDevice'> {
  /** The key that the certificate is for. */
  publicKey: KeyObject
  /** Whether a hardware key has just confirmed the certificate. */
  isConfirmed: boolean
  /** Epoch milliseconds. */
  expires: number
  ip: string
}

export interface Begun {
  readonly challenge: string
  /** Throws access denied, LockRefusal. */
  finish(signature: Buffer): Promise<DeviceAnswerInput>
}

export interface DeviceCeremony {
  /** Throws access denied, bad parameter. */
  begin(request: DeviceRequest, prover: Prover): Promise<Begun>
}

export interface CeremonyDeps {
  store: DeviceStore
  certificates: Pick<Certificates, 'issue'>
  people: Pick<People, 'find'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
  clusterName: string
}

export function createDeviceCeremony({ store, certificates, people, audit, clock, clusterName }: CeremonyDeps): DeviceCeremony {
  /** Written down, then thrown. */
  async function refuse(code: AuditCode, user: string, device: Device | undefined, message: string): Promise<never> {
    const about = device ? deviceFields(device.metadata.name, device.spec) : {}
    await audit.emit(code, { user, success: false, error: message, ...about })
    throw accessDenied(message)
  }
  /** A fresh challenge, and whether it was signed. */
  function challengeOf(act: DeviceRequest['do'], publicKey: string, prover: Prover) {
    const challenge = randomBytes(32).toString('base64url')
    const statement = deviceStatement(act, { cluster: clusterName, key: formatPublicKey(prover.publicKey), challenge })
    return { challenge, isMet: (signature: Buffer): boolean => isSignedBy(publicKey, statement, signature) }
  }

  async function enroll({ token, publicKey }: Extract<DeviceRequest, { do: 'enroll' }>, prover: Prover): Promise<Begun> {
    const { username: user, access } = prover
    if (!access.allows('device', 'enroll')) throw missingPermission('enroll', 'device')
    const key = readDeviceKey(publicKey)
    const hash = hashOf(token)
    const all = await store.list()
    const device = all.find(({ spec }) => spec.token?.hash === hash)
    if (!device || Date.parse(device.spec.token?.expires ?? '') <= clock.now())
      return refuse('TV004I', user, device, 'the enroll token was used, replaced or has expired: ask for a new one')
    const others = all.filter((other) => other !== device).flatMap(({ spec }) => spec.public_key ?? [])
    if (others.some((other) => readDeviceKey(other).equals(key)))
      return refuse('TV005I', user, device, 'this key belongs to another device: remove that one first')
    const { challenge, isMet } = challengeOf('enroll', publicKey, prover)
    return {
      challenge,
      async finish(signature) {
        if (!isMet(signature)) return refuse('TV005I', user, device, 'the device did not prove that it has the key')
        const { metadata, spec } = device
        const { token: _spent, ...kept } = spec
        const facts = { user, success: true, ...deviceFields(metadata.name, spec) }
        await audit.emit('TV004I', facts)
        await audit.emit('TV005I', facts)
        const now = new Date(clock.now()).toISOString()
        try {
          // With the revision: of two who use the token at once, one comes too late.
          await store.update({ ...device, spec: { ...kept, public_key: publicKey, owner: user, enrolled_at: now } })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          return refuse('TV005I', user, device, 'the device was changed in the meantime: ask for a new enroll token')
        }
        return { enrolled: { id: metadata.name, assetTag: spec.asset_tag } }
      },
    }
  }

  async function prove({ device: id }: Extract<DeviceRequest, { do: 'authenticate' }>, prover: Prover): Promise<Begun> {
    const { username: user } = prover
    const device = await store.get(id)
    const publicKey = device?.spec.public_key
    if (!device || publicKey === undefined || device.spec.owner !== user)
      return refuse('TV006I', user, device, 'this device is not enrolled for you: ask an administrator for an enroll token')
    const { challenge, isMet } = challengeOf('authenticate', publicKey, prover)
    return {
      challenge,
      async finish(signature) {
        if (!isMet(signature)) return refuse('TV006I', user, device, 'the device did not prove that it is the one that was enrolled')
        const person = await people.find(user)
        const ttl = prover.expires - clock.now()
        if (!person || ttl < 1000) throw accessDenied('the certificate has expired: sign in again')
        await audit.emit('TV006I', { user, success: true, ...deviceFields(id, device.spec) })
        await sawIt(id)
        const issued = await certificates.issue({
          person,
          deviceId: prover.mfaDevice,
          isKeyProof: prover.isConfirmed,
          trustedDevice: trustedDevice(device),
          publicKey: prover.publicKey,
          ttl,
          client: { ip: prover.ip },
          requests: prover.assumed?.map((request) => request.id) ?? [],
        })
        return { certificates: issued }
      },
    }
  }

  /** Somebody else may change the document at the same moment; then that stands, and the next proof is noted. */
  async function sawIt(id: string): Promise<void> {
    const latest = await store.get(id)
    if (!latest) return
    await store.update({ ...latest, spec: { ...latest.spec, last_seen: new Date(clock.now()).toISOString() } }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
    })
  }

  return { begin: (request, prover) => (request.do === 'enroll' ? enroll(request, prover) : prove(request, prover)) }
}
