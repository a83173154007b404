/** Asking for access that one does not have. */
import { defineAudit, shortenQuery } from './event.ts'

export const accessRequestAudit = defineAudit({
  T5004I: {
    type: 'access_request.search',
    title: 'Requestable resources searched',
    group: 'Access requests',
    fields: ['resource_type', 'search_as_roles'],
    message: (raw) => `${raw('user')} looked for ${raw('resource_type')} using roles ${shortenQuery(raw('search_as_roles'))}`,
  },
})
