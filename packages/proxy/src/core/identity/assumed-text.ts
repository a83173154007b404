/** How tables keep what a session has assumed. The same requests always give the same text, so that rows can be compared. */
import type { AssumedRequest } from '../access/assumed.ts'

export const noRequests = '[]'

export const textOfRequests = (assumed: readonly AssumedRequest[]): string =>
  JSON.stringify(assumed.map(({ id, roles, resources, expires }) => ({ id, roles, resources, expires })))

export const requestsOf = (text: string): AssumedRequest[] => JSON.parse(text) as AssumedRequest[]
