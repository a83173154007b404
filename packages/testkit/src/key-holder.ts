import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { registerChallenge } from '@sallyport/wire/calls/mfa.ts'
import { completeUserToken } from '@sallyport/wire/calls/users.ts'
import { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { SoftwareKey } from './software-key.ts'
import type { World } from './world.ts'

/** Somebody whose second factor is a key, signed in. */
export async function withKey(
  world: Pick<World, 'url' | 'dataDir'>,
  name: string,
  roles: string[] = ['access'],
): Promise<{ client: ApiClient; key: SoftwareKey }> {
  const { link } = await ask(world.dataDir, adminCalls.addUser, { name, roles, logins: [ownLogin] })
  const token = link.split('/').at(-1) ?? ''
  const client = new ApiClient(world.url)
  await client.loadPage()
  const { webauthn } = await client.call(registerChallenge, { params: { token }, body: { deviceType: 'webauthn', deviceUsage: 'mfa' } })
  if (!webauthn) throw new Error('no challenge for a key')
  const key = new SoftwareKey()
  const webauthnCreationResponse = key.create(webauthn.publicKey, { origin: world.url })
  const password = Buffer.from('a key opens the gate').toString('base64')
  await client.call(completeUserToken, { body: { token, password, webauthnCreationResponse } })
  await client.loadPage()
  return { client, key }
}
