/** Asking for access that one does not have. */
import { auditSentence, defineAudit } from './event.ts'

const group = 'Access requests'

export const accessRequestAudit = defineAudit({
  T5000I: auditSentence(group, 'access_request.create', 'Access request created', 'Request {id} was opened ({state})'),
  T5001I: auditSentence(group, 'access_request.update', 'Access request updated', 'Request {id} is now {state}'),
  T5002I: {
    type: 'access_request.review',
    title: 'Access request reviewed',
    group,
    fields: ['reviewer', 'state', 'id'],
    message: (raw) => `${raw('reviewer')} ${raw('state').toLowerCase()} request ${raw('id')}`,
  },
  T5003I: auditSentence(group, 'access_request.delete', 'Access request removed', 'Request {id} was deleted'),
  T5004I: auditSentence(
    group,
    'access_request.search',
    'Requestable resources searched',
    '{user} looked for {resource_type} using roles {search_as_roles!}',
  ),
  T5005I: auditSentence(group, 'access_request.expire', 'Access request expired', 'Request {id} expired'),
  T5006I: auditSentence(group, 'access_request.assume', 'Requested access assumed', '{user} assumed the access of request {id}'),
  T5007I: auditSentence(group, 'access_request.drop', 'Requested access dropped', '{user} dropped the access that requests had given'),
})
