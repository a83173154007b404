import { createUserToken } from '@sallyport/wire/calls/users.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { request } from '../../api/page.ts'

export interface AccountLink {
  address: string
  expires: Date
}

/** How long a link may live, in hours; a reset ends after a day at the latest. */
export const lifetimes = {
  invite: [1, 4, 12, 24, 48],
  password: [1, 4, 8, 24],
} as const

export const lifetimeWords = (hours: number): string => {
  if (hours % 24 === 0) return hours === 24 ? '1 day' : `${hours / 24} days`
  return hours === 1 ? '1 hour' : `${hours} hours`
}

/** Makes the link with which somebody sets up their account; links made before are worth nothing then. */
export async function makeLink(name: string, type: 'invite' | 'password', hours: number): Promise<AccountLink> {
  const { tokenId, expiry } = await request(createUserToken, { body: { name, type, lifetimeSeconds: hours * 3600 } })
  const path = routePath(type === 'invite' ? 'invite' : 'reset', { tokenId })
  return { address: window.location.origin + path, expires: new Date(expiry) }
}
