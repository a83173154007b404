/** Databases: connections, statements and resources. Protocols without codes of their own use TDB00 to TDB02. */
import { auditSentence, defineAudit, shortenQuery } from './event.ts'
import type { AuditDefinition } from './event.ts'

const group = 'Database'
const categories = ['GENERAL', 'SECURITY', 'SEARCH', 'SQL']

/** Elasticsearch and OpenSearch tell the same of a request. */
const searchRequest = (engine: 'elasticsearch' | 'opensearch', title: string, how: 'sent' | 'failed to send'): AuditDefinition => ({
  type: `db.session.${engine}.request`,
  title,
  group,
  fields: ['category', 'path', 'query', 'target', 'db_service'],
  message: (raw) => {
    const category = categories[Number(raw('category') || 0)] ?? 'UNKNOWN'
    const query = raw('query') === '' ? '' : `, query "${shortenQuery(raw('query'))}"`
    const target = raw('target') === '' ? '' : `, target ${raw('target')}`
    return `${raw('user')} ${how} a ${category} request ${raw('path')} to ${raw('db_service')}${query}${target}`
  },
})

export const databaseAudit = defineAudit({
  TDB00I: auditSentence(group, 'db.session.start', 'Database connected', '{user} connected to {db_name} as {db_user} on {db_service}'),
  TDB00W: auditSentence(
    group,
    'db.session.start',
    'Database refused',
    '{user} was refused {db_name} as {db_user} on {db_service}: {error}',
  ),
  TDB01I: auditSentence(group, 'db.session.end', 'Database session ended', '{user} left {db_name} on {db_service}'),
  TDB02I: auditSentence(group, 'db.session.query', 'Database query', '{user} ran "{db_query!}" in {db_name} on {db_service}'),
  TDB02W: auditSentence(
    group,
    'db.session.query.failed',
    'Database query failed',
    '{user} failed to run "{db_query!}" in {db_name} on {db_service}',
  ),
  TDB03I: auditSentence(group, 'db.create', 'Database added', '{user} added database {name}'),
  TDB04I: auditSentence(group, 'db.update', 'Database changed', '{user} changed database {name}'),
  TDB05I: auditSentence(group, 'db.delete', 'Database removed', '{user} removed database {name}'),
  TDB06I: auditSentence(
    group,
    'db.session.malformed_packet',
    'Unreadable database packet',
    '{user} sent an unreadable packet to {db_name} on {db_service}',
  ),
  TDB07I: auditSentence(
    group,
    'db.session.permissions.update',
    'Database permissions changed',
    'Permissions of {db_user|user} on {db_service} were changed',
  ),
  TDB08I: auditSentence(group, 'db.session.user.create', 'Database user created', '{db_user|user} was created on {db_service}'),
  TDB08W: auditSentence(
    group,
    'db.session.user.create',
    'Database user not created',
    '{db_user|user} could not be created on {db_service}: {error}',
  ),
  TDB09I: auditSentence(group, 'db.session.user.deactivate', 'Database user deactivated', '{db_user|user} was deactivated on {db_service}'),
  TDB09W: auditSentence(
    group,
    'db.session.user.deactivate',
    'Database user not deactivated',
    '{db_user|user} could not be deactivated on {db_service}: {error}',
  ),
  TDB10I: auditSentence(group, 'db.session.result', 'Database query answered', '{db_service} answered a query of {user} in {db_name}'),
  TMS00I: auditSentence(
    group,
    'db.session.sqlserver.rpc_request',
    'SQL Server call',
    '{user} called {proc_name} in {db_name} on {db_service}',
  ),
  TDY01I: auditSentence(group, 'db.session.dynamodb.request', 'DynamoDB request', '{user} called {target} on {db_service}'),
  TDY01E: auditSentence(group, 'db.session.dynamodb.request', 'DynamoDB request failed', '{user} failed to call {target} on {db_service}'),
  TPG00I: auditSentence(
    group,
    'db.session.postgres.statements.parse',
    'PostgreSQL statement prepared',
    '{user} prepared {statement_name}: "{query!}" on {db_service}',
  ),
  TPG01I: auditSentence(
    group,
    'db.session.postgres.statements.bind',
    'PostgreSQL statement bound',
    '{user} bound {statement_name} to portal {portal_name} on {db_service}',
  ),
  TPG02I: auditSentence(
    group,
    'db.session.postgres.statements.execute',
    'PostgreSQL statement run',
    '{user} ran portal {portal_name} on {db_service}',
  ),
  TPG03I: auditSentence(
    group,
    'db.session.postgres.statements.close',
    'PostgreSQL statement closed',
    '{user} closed {portal_name|statement_name} on {db_service}',
  ),
  TPG04I: auditSentence(
    group,
    'db.session.postgres.function',
    'PostgreSQL function called',
    '{user} called function {function_oid} on {db_service}',
  ),
  TMY00I: auditSentence(
    group,
    'db.session.mysql.statements.prepare',
    'MySQL statement prepared',
    '{user} prepared "{query!}" in {db_name} on {db_service}',
  ),
  TMY01I: auditSentence(
    group,
    'db.session.mysql.statements.execute',
    'MySQL statement run',
    '{user} ran statement {statement_id} in {db_name} on {db_service}',
  ),
  TMY02I: auditSentence(
    group,
    'db.session.mysql.statements.send_long_data',
    'MySQL parameter sent',
    '{user} sent {data_size} bytes for parameter {parameter_id} of {statement_id}',
  ),
  TMY03I: auditSentence(group, 'db.session.mysql.statements.close', 'MySQL statement closed', '{user} closed statement {statement_id}'),
  TMY04I: auditSentence(group, 'db.session.mysql.statements.reset', 'MySQL statement reset', '{user} reset statement {statement_id}'),
  TMY05I: auditSentence(
    group,
    'db.session.mysql.statements.fetch',
    'MySQL rows fetched',
    '{user} fetched {rows_count} rows of {statement_id}',
  ),
  TMY06I: auditSentence(
    group,
    'db.session.mysql.statements.bulk_execute',
    'MySQL statement run in bulk',
    '{user} bulk-ran statement {statement_id}',
  ),
  TMY07I: auditSentence(group, 'db.session.mysql.init_db', 'MySQL schema chosen', '{user} switched to {schema_name} on {db_service}'),
  TMY08I: auditSentence(group, 'db.session.mysql.create_db', 'MySQL schema created', '{user} created {schema_name} on {db_service}'),
  TMY09I: auditSentence(group, 'db.session.mysql.drop_db', 'MySQL schema dropped', '{user} dropped {schema_name} on {db_service}'),
  TMY10I: auditSentence(group, 'db.session.mysql.shut_down', 'MySQL shutdown asked', '{user} asked {db_service} to shut down'),
  TMY11I: auditSentence(group, 'db.session.mysql.process_kill', 'MySQL kill asked', '{user} asked to kill {process_id} on {db_service}'),
  TMY12I: auditSentence(group, 'db.session.mysql.debug', 'MySQL debug output asked', '{user} asked {db_service} for debug output'),
  TMY13I: auditSentence(group, 'db.session.mysql.refresh', 'MySQL refresh asked', '{user} sent {subcommand} to {db_service}'),
  TCA01I: auditSentence(group, 'db.session.cassandra.batch', 'Cassandra batch', '{user} sent a batch to {db_service}'),
  TCA02I: auditSentence(group, 'db.session.cassandra.prepare', 'Cassandra query prepared', '{user} prepared "{query!}" on {db_service}'),
  TCA03I: auditSentence(group, 'db.session.cassandra.execute', 'Cassandra query run', '{user} ran a prepared query on {db_service}'),
  TCA04I: auditSentence(
    group,
    'db.session.cassandra.register',
    'Cassandra events subscribed',
    '{user} subscribed to events of {db_service}',
  ),
  TES00I: searchRequest('elasticsearch', 'Elasticsearch request', 'sent'),
  TES00E: searchRequest('elasticsearch', 'Elasticsearch request failed', 'failed to send'),
  TOS00I: searchRequest('opensearch', 'OpenSearch request', 'sent'),
  TOS00E: searchRequest('opensearch', 'OpenSearch request failed', 'failed to send'),
})
