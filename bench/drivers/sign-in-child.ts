/** The process behind sign-in.ts: a cluster whose people sign in with a password alone, until its parent lets go of it. */
import { once } from 'node:events'
import { ask } from '@sallyport/cli/admin-client.ts'
import { ApiClient } from '@sallyport/testkit/api-client.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { completeUserToken } from '@sallyport/wire/calls/users.ts'

export interface SignInPlace {
  url: string
  names: string[]
  password: string
}

/** The proxy lets one user try five times at once. */
const people = 10
const password = 'ten people, one password'

const ended = once(process, 'disconnect')
await using world = await createWorld({ people: [], settings: { secondFactor: 'off' } })
const names = Array.from({ length: people }, (_, index) => `person-${index}`)
for (const name of names) {
  const { link } = await ask(world.dataDir, adminCalls.addUser, { name, roles: ['access'], logins: [] })
  const client = new ApiClient(world.url)
  await client.loadPage()
  const token = link.split('/').at(-1) ?? ''
  await client.call(completeUserToken, { body: { token, password: Buffer.from(password).toString('base64') } })
}
const place: SignInPlace = { url: world.url, names, password }
process.send?.(place)
await ended
