/**
 * Statements for others, such as who is asking: signed by an authority of their own, whose key is sealed in a file beside the
 * others, made when it is first needed.
 */
import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { createPrivateFile } from './master-key.ts'
import type { MasterKey } from './master-key.ts'

/** A public key in the form of RFC 7517. */
export interface PublicJwk {
  kty: string
  n: string
  e: string
  alg: string
  use: string
  kid: string
}

/** `app`: for applications, about their users. `oidc-idp`: for accounts elsewhere that trust the cluster. One is never taken for the other. */
export type JwtAuthority = 'app' | 'oidc-idp'

export interface JwtSignerDeps {
  directory: string
  masterKey: MasterKey
  authority: JwtAuthority
}

export interface JwtSigner {
  /** All keys that count now. */
  keys(): Promise<PublicJwk[]>
  /** A JWT, signed with RS256. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>
}

const recordSchema = z.object({ version: z.literal(1), id: z.uuid(), sealedPrivateKey: z.string() })
const modulusLength = 2048
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export function createJwtSigner({ directory, masterKey, authority }: JwtSignerDeps): JwtSigner {
  const file = join(directory, `${authority}-authority.json`)
  const sealLabel = (id: string): string => `authority/${authority}/${id}`

  async function make(): Promise<void> {
    const id = randomUUID()
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength })
    const sealedPrivateKey = masterKey.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), sealLabel(id))
    // Of two processes that make one, the first one's counts.
    await createPrivateFile(file, `${JSON.stringify({ version: 1, id, sealedPrivateKey }, undefined, 2)}\n`)
  }

  async function open(): Promise<{ key: KeyObject; id: string }> {
    const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      await make()
      return readFile(file, 'utf8')
    })
    try {
      const { id, sealedPrivateKey } = recordSchema.parse(JSON.parse(text))
      return { id, key: createPrivateKey({ key: masterKey.open(sealedPrivateKey, sealLabel(id)), format: 'der', type: 'pkcs8' }) }
    } catch (cause) {
      throw new Error(`${file} is damaged or belongs to another master key. Restore it from a backup.`, { cause })
    }
  }

  let opened: ReturnType<typeof open> | undefined
  const ready = (): ReturnType<typeof open> => {
    const opening = (opened ??= open())
    // What could not be opened is tried again.
    opening.catch(() => (opened = undefined))
    return opening
  }

  return {
    async keys() {
      const { key, id } = await ready()
      const { n = '', e = '' } = createPublicKey(key).export({ format: 'jwk' })
      return [{ kty: 'RSA', n, e, alg: 'RS256', use: 'sig', kid: id }]
    },
    async sign(claims) {
      const { key, id } = await ready()
      const content = `${encoded({ alg: 'RS256', typ: 'JWT', kid: id })}.${encoded(claims)}`
      const signature = await new Promise<Buffer>((resolve, reject) =>
        sign('sha256', Buffer.from(content), key, (error, made) => (error ? reject(error) : resolve(made))),
      )
      return `${content}.${signature.toString('base64url')}`
    },
  }
}
