import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createJwtSigner } from './jwt-signer.ts'
import { createMasterKey } from './master-key.ts'

const authority = 'app'

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-signer-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

test('a statement holds with the published key, and after a restart with the same one', async () => {
  const directory = await makeDirectory()
  const masterKey = createMasterKey(randomBytes(32))
  const signer = createJwtSigner({ directory, masterKey, authority })
  const token = await signer.sign({ sub: 'alice' })
  const [jwk] = await createJwtSigner({ directory, masterKey, authority }).keys()
  expect(jwk).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' })
  const [head = '', claims = '', signature = ''] = token.split('.')
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true)
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT', kid: jwk?.kid })
})

test('the key is sealed at rest, and another master key does not open it', async () => {
  const directory = await makeDirectory()
  await createJwtSigner({ directory, masterKey: createMasterKey(randomBytes(32)), authority }).keys()
  const text = await readFile(join(directory, 'app-authority.json'), 'utf8')
  expect(text).not.toContain('PRIVATE KEY')
  const stranger = createJwtSigner({ directory, masterKey: createMasterKey(randomBytes(32)), authority })
  await expect(stranger.keys()).rejects.toThrow('belongs to another master key')
})

test('each authority has a key of its own', async () => {
  const directory = await makeDirectory()
  const masterKey = createMasterKey(randomBytes(32))
  const [app] = await createJwtSigner({ directory, masterKey, authority }).keys()
  const [other] = await createJwtSigner({ directory, masterKey, authority: 'oidc-idp' }).keys()
  expect(other?.n).not.toBe(app?.n)
})
