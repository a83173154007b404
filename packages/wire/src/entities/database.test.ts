import * as z from 'zod/mini'
import { expect, test } from 'vitest'
import { databaseServiceWire, databaseTitle, databaseWire, toDatabase, toDatabaseService } from './database.ts'

test('R9-023: a self-hosted postgres is Self-hosted PostgreSQL', () =>
  expect(databaseTitle('self-hosted', 'postgres')).toBe('Self-hosted PostgreSQL'))
test('R9-024, R9-041: a self-hosted mysql is Self-hosted MySQL/MariaDB', () =>
  expect(databaseTitle('self-hosted', 'mysql')).toBe('Self-hosted MySQL/MariaDB'))
test('R9-025: a self-hosted mongodb is Self-hosted MongoDB', () =>
  expect(databaseTitle('self-hosted', 'mongodb')).toBe('Self-hosted MongoDB'))
test('R9-026: a self-hosted sqlserver is Self-hosted SQL Server', () =>
  expect(databaseTitle('self-hosted', 'sqlserver')).toBe('Self-hosted SQL Server'))
test('R9-027: a self-hosted redis is Self-hosted Redis', () => expect(databaseTitle('self-hosted', 'redis')).toBe('Self-hosted Redis'))
test('R9-028: a self-hosted oracle is Self-hosted Oracle', () => expect(databaseTitle('self-hosted', 'oracle')).toBe('Self-hosted Oracle'))
test('R9-029: a self-hosted cockroachdb is Self-hosted CockroachDB', () =>
  expect(databaseTitle('self-hosted', 'cockroachdb')).toBe('Self-hosted CockroachDB'))
test('R9-030: a self-hosted cassandra is Self-hosted Cassandra', () =>
  expect(databaseTitle('self-hosted', 'cassandra')).toBe('Self-hosted Cassandra'))
test('R9-031: a self-hosted elasticsearch is Self-hosted Elasticsearch', () =>
  expect(databaseTitle('self-hosted', 'elasticsearch')).toBe('Self-hosted Elasticsearch'))
test('R9-032: rds with postgres is Amazon RDS PostgreSQL', () => expect(databaseTitle('rds', 'postgres')).toBe('Amazon RDS PostgreSQL'))
test('R9-033: rdsproxy with mysql is Amazon RDS Proxy MySQL/MariaDB', () =>
  expect(databaseTitle('rdsproxy', 'mysql')).toBe('Amazon RDS Proxy MySQL/MariaDB'))
test('R9-034: redshift is Amazon Redshift', () => expect(databaseTitle('redshift', 'postgres')).toBe('Amazon Redshift'))
test('R9-035: redshift-serverless is Amazon Redshift Serverless', () =>
  expect(databaseTitle('redshift-serverless', 'postgres')).toBe('Amazon Redshift Serverless'))
test('R9-036: elasticache is Amazon ElastiCache', () => expect(databaseTitle('elasticache', 'redis')).toBe('Amazon ElastiCache'))
test('R9-037: memorydb is Amazon MemoryDB', () => expect(databaseTitle('memorydb', 'redis')).toBe('Amazon MemoryDB'))
test('R9-038: keyspace is Amazon Keyspaces', () => expect(databaseTitle('keyspace', 'cassandra')).toBe('Amazon Keyspaces'))
test('R9-039: dynamodb is Amazon DynamoDB', () => expect(databaseTitle('dynamodb', 'dynamodb')).toBe('Amazon DynamoDB'))
test('R9-040: opensearch is Amazon OpenSearch', () => expect(databaseTitle('opensearch', 'opensearch')).toBe('Amazon OpenSearch'))
test('R9-042: gcp with postgres is Cloud SQL PostgreSQL', () => expect(databaseTitle('gcp', 'postgres')).toBe('Cloud SQL PostgreSQL'))
test('R9-043: azure with sqlserver is Azure SQL Server', () => expect(databaseTitle('azure', 'sqlserver')).toBe('Azure SQL Server'))
test('R9-044: snowflake is Snowflake, whoever hosts it', () => {
  expect(databaseTitle('self-hosted', 'snowflake')).toBe('Snowflake')
  expect(databaseTitle('rds', 'snowflake')).toBe('Snowflake')
})
test('hosts and protocols that nobody knows stay as they are spelled', () => {
  expect(databaseTitle('moonbase', 'postgres')).toBe('moonbase PostgreSQL')
  expect(databaseTitle('self-hosted', 'neo4j')).toBe('Self-hosted neo4j')
})

test('R3-106: a database has name, description, title, protocol, labels, names, users, host and the resource id of RDS', () => {
  const wire = z.parse(databaseWire, {
    name: 'orders',
    desc: 'Orders',
    protocol: 'postgres',
    type: 'rds',
    labels: [{ name: 'env', value: 'prod' }],
    hostname: 'orders.example.com',
    uri: 'orders.example.com:5432',
    database_users: ['reader'],
    database_names: ['orders', '*'],
    aws: { region: 'eu-central-1', account_id: '123456789012', rds: { resource_id: 'db-ABC' } },
  })
  expect(toDatabase(wire)).toEqual({
    name: 'orders',
    description: 'Orders',
    type: 'Amazon RDS PostgreSQL',
    protocol: 'postgres',
    labels: [{ name: 'env', value: 'prod' }],
    names: ['orders', '*'],
    users: ['reader'],
    hostname: 'orders.example.com',
    aws: { rds: { resourceId: 'db-ABC' } },
    isInteractive: false,
  })
})
test('a database of a peer that tells little has empty lists', () =>
  expect(toDatabase(z.parse(databaseWire, { name: 'x', labels: null, database_users: null }))).toMatchObject({
    labels: [],
    names: [],
    users: [],
    aws: undefined,
  }))

test('R3-107: matchers of a service become one map; a value alone and a list are both lists', () => {
  const wire = z.parse(databaseServiceWire, {
    name: 'one',
    resource_matchers: [{ labels: { env: 'prod', team: ['a'] } }, { labels: { env: ['dev', 'prod'] } }, { labels: null }],
  })
  expect(toDatabaseService(wire)).toEqual({ name: 'one', matcherLabels: { env: ['prod', 'dev'], team: ['a'] } })
})
