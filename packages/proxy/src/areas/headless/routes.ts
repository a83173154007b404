/** What the user of a waiting command sees of it, and their decision. */
import { ok } from '@sallyport/wire/call.ts'
import * as calls from '@sallyport/wire/calls/headless.ts'
import { headlessStates } from '@sallyport/wire/entities/headless.ts'
import { badParameter } from '../../core/errors.ts'
import type { Headless } from '../../core/identity/headless.ts'
import { on } from '../../core/route.ts'
import type { AddressParts, Route } from '../../core/route.ts'

export interface HeadlessAreaDeps {
  headless: Pick<Headless, 'find' | 'approve' | 'deny'>
}

/** A command waits with its connection, so in one process. */
const spread = { keptUnder: ({ params }: AddressParts) => params['headless_authentication_id'] }

export const headlessRoutes = ({ headless }: HeadlessAreaDeps): Route[] => [
  on(
    calls.readHeadless,
    async ({ params: { headless_authentication_id: id }, caller, signal }) => {
      const found = await headless.find(caller.username, id, signal)
      return {
        header: { metadata: { name: id, expires: new Date(found.expires).toISOString() } },
        user: found.user,
        public_key: found.publicKey.toString('base64'),
        state: headlessStates[found.state],
        client_ip_address: found.client.address,
        requested: new Date(found.requested).toISOString(),
      }
    },
    spread,
  ),
  on(
    calls.decideHeadless,
    async ({ params: { headless_authentication_id: id }, body, caller, client, signal }) => {
      if (body.action === 'accept') await headless.approve(caller.username, id, body.webauthnAssertionResponse ?? undefined, client, signal)
      else if (body.action === 'denied') await headless.deny(caller.username, id, client, signal)
      else throw badParameter(`unknown action ${body.action}`)
      return ok
    },
    spread,
  ),
]
