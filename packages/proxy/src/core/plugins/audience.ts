/** Who is told of a request by a plugin. */
import { isMailAddress } from '@sallyport/wire/entities/plugin.ts'
import { ifRefused } from '../errors.ts'
import type { AccessRequests } from '../requests/access-requests.ts'
import type { RequestSpec } from '../requests/request.ts'
import type { UserStore } from '../users.ts'
import type { Purpose } from './notice.ts'
import type { PluginSpec } from './plugin.ts'

export interface Addressee {
  purpose: Purpose
  recipient: string
  /** Found by who they are, not named in the settings. */
  personal: boolean
}

/** However much roles and settings name. */
const most = 200

export interface AudienceDeps {
  users: Pick<UserStore, 'get'>
  requests: Pick<AccessRequests, 'reviewer'>
}

/** The recipients of the roles, or the usual ones; the suggested reviewers, as far as they may decide; and whoever has asked. */
export async function audienceOf(
  { users, requests }: AudienceDeps,
  { recipients, role_recipients: byRole }: Pick<PluginSpec, 'recipients' | 'role_recipients'>,
  request: RequestSpec,
): Promise<Addressee[]> {
  /** People of providers bring an address along; others may be named by theirs. */
  async function addressOf(name: string): Promise<string | undefined> {
    const given = (await users.get(name))?.spec.traits['email']?.[0]
    return [given, name].find((text) => text !== undefined && isMailAddress(text))
  }
  // Whoever asks may name anybody: nobody is told who could not decide anyway.
  const mayDecide = async (name: string): Promise<boolean> => {
    const decides = await requests.reviewer(name).catch(ifRefused(undefined))
    return decides?.(request) ?? false
  }
  const ofRoles = request.roles.flatMap((role) => (Object.hasOwn(byRole, role) ? (byRole[role] ?? []) : []))
  const review: Addressee[] = (ofRoles.length > 0 ? ofRoles : recipients).map((recipient) => ({
    purpose: 'review',
    recipient,
    personal: false,
  }))
  for (const name of request.suggested_reviewers) {
    const recipient = (await mayDecide(name)) ? await addressOf(name) : undefined
    if (recipient !== undefined) review.push({ purpose: 'review', recipient, personal: true })
  }
  const asker = await addressOf(request.user)
  // Once each, however they are named.
  const known = new Map(review.toReversed().map((one) => [one.recipient.toLowerCase(), one]))
  return [
    ...[...known.values()].toReversed().slice(0, most),
    ...(asker === undefined ? [] : [{ purpose: 'answer' as const, recipient: asker, personal: true }]),
  ]
}
