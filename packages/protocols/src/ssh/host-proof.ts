import { encodeString } from './wire.ts'

/** What a host signs to prove that it has its key. The purpose keeps a signature from counting for anything else. */
export function hostProof(purpose: 'join' | 'tunnel', ...fields: (string | Uint8Array)[]): Buffer {
  return Buffer.concat([`sallyport-${purpose}-v1`, ...fields].map(encodeString))
}

/** What a cluster signs toward another one: the same for either end of a link, and for who asks through it. */
export function clusterProof(purpose: 'leaf' | 'root' | 'assertion', ...fields: (string | Uint8Array)[]): Buffer {
  return Buffer.concat([`sallyport-cluster-${purpose}-v1`, ...fields].map(encodeString))
}
