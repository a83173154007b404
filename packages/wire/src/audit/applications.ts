/** Applications that people open through the proxy, and their resources. */
import { auditSentence, defineAudit } from './event.ts'

const group = 'Applications'

export const applicationAudit = defineAudit({
  T2007I: {
    type: 'app.session.start',
    title: 'Application opened',
    group,
    fields: ['app_name', 'aws_role_arn', 'app_public_addr', 'app_uri', 'sid'],
    message: (raw) => `${raw('user')} opened ${raw('aws_role_arn') === '' ? '' : 'AWS console '}${raw('app_name')}`,
  },
  T2007E: auditSentence(group, 'app.session.start', 'Application refused', '{user} could not open {app_name}: {error}'),
  T2008I: auditSentence(group, 'app.session.chunk', 'Application traffic recorded', 'New traffic chunk of {app_name} for {user}'),
  T2009I: auditSentence(group, 'app.session.request', 'Application request', '{method} {path}: {status_code}'),
  T2011I: auditSentence(group, 'app.session.end', 'Application session ended', '{user} left {app_name}'),
  T2013I: auditSentence(
    group,
    'app.session.dynamodb.request',
    'DynamoDB request through an application',
    '{user} called {target} through {app_name}',
  ),
  TAP03I: auditSentence(group, 'app.create', 'Application added', '{user} added app {name}'),
  TAP04I: auditSentence(group, 'app.update', 'Application changed', '{user} changed app {name}'),
  TAP05I: auditSentence(group, 'app.delete', 'Application removed', '{user} removed app {name}'),
})
