/**
 * The cluster's signature under a finished recording. The chunks of a recording form a chain of digests, so the last
 * one stands for all of it; who changes a byte has to make a new chain, and cannot sign it.
 *
 * <sid>.seal: JSON with the facts below and the Ed25519 signature over them.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { createPrivateFile } from '../authorities/master-key.ts'
import type { MasterKey } from '../authorities/master-key.ts'

export interface SealedFacts {
  sid: string
  /** Epoch milliseconds. */
  start: number
  /** Digest of the last chunk's header. */
  digest: string
  /** Of the whole file. */
  bytes: number
}

export interface Sealer {
  seal(facts: SealedFacts): string
  /** Whether the text is a seal of this cluster over exactly these facts. */
  isGenuine(text: string, facts: SealedFacts): boolean
  /** For what is made from recordings: nobody else can make it. */
  readonly derivedKey: Uint8Array<ArrayBuffer>
}

const keyForm = z.object({ version: z.literal(1), publicKey: z.string(), sealedPrivateKey: z.string() })
const label = 'recordings'

const textOf = ({ sid, start, digest, bytes }: SealedFacts): Buffer =>
  Buffer.from(`sallyport recording seal 1\n${sid}\n${start}\n${digest}\n${bytes}\n`)

export function createSealer(privateKeyPem: string): Sealer {
  const privateKey = createPrivateKey(privateKeyPem)
  const sealText = (facts: SealedFacts): string =>
    `${JSON.stringify({ version: 1, ...facts, signature: sign(null, textOf(facts), privateKey).toString('base64') })}\n`
  return {
    seal: sealText,
    // An Ed25519 signature has one form only, so the seal of the same facts is the same text.
    isGenuine: (text, facts) => text === sealText(facts),
    derivedKey: new Uint8Array(hkdfSync('sha256', privateKey.export({ type: 'pkcs8', format: 'der' }), '', 'key frames', 32)),
  }
}

export const newSealKey = (): string => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Reads the cluster's key from the file, or makes it. */
export async function openSealer(file: string, masterKey: MasterKey): Promise<Sealer> {
  const fresh = newSealKey()
  const record: z.input<typeof keyForm> = {
    version: 1,
    publicKey: createPublicKey(fresh).export({ type: 'spki', format: 'pem' }).toString(),
    sealedPrivateKey: masterKey.seal(Buffer.from(fresh), label),
  }
  await createPrivateFile(file, `${JSON.stringify(record, undefined, 2)}\n`)
  try {
    const { sealedPrivateKey } = keyForm.parse(JSON.parse(await readFile(file, 'utf8')))
    return createSealer(masterKey.open(sealedPrivateKey, label).toString())
  } catch (cause) {
    throw new Error(`${file} is damaged. Restore it from a backup; recordings are signed with it.`, { cause })
  }
}
