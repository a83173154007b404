import type { UserContext } from '@sallyport/wire/entities/user-context.ts'
import { config } from '../../api/page.ts'

/** Whether roles want a request for access before anything else. Whoever may not ask for any role could never get past it. */
export const mustRequest = ({ accessStrategy: { type }, assumed, accessRequestId, accessCapabilities }: UserContext): boolean =>
  (type === 'always' || type === 'reason') &&
  assumed.length === 0 &&
  accessRequestId === '' &&
  accessCapabilities.requestableRoles.length > 0 &&
  !config.isUsageBasedBilling
