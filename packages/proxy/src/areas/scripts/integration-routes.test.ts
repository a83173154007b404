/** The served script, run by bash with a stand-in for Amazon's command line that notes how it is called. */
import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { callSearch } from '@sallyport/wire/call.ts'
import { configureAwsOidc } from '@sallyport/wire/calls/integrations.ts'
import { expect, onTestFinished, test } from 'vitest'
import { integrationScriptRoutes } from './integration-routes.ts'

/** Knows the account; of providers and roles what the environment says. */
const standIn = `#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$LOG"
case "$1 $2" in
  'sts get-caller-identity') echo arn:aws:sts::123456789012:assumed-role/Admin/me ;;
  'iam get-open-id-connect-provider') [ -n "\${PROVIDER:-}" ] && echo "$PROVIDER" ;;
  'iam list-role-tags') [ -n "\${ROLE_OF:-}" ] && echo "$ROLE_OF" ;;
  'iam get-role') echo "arn:aws:iam::123456789012:role/$4" ;;
esac
`
const provider = 'arn:aws:iam::123456789012:oidc-provider/access.example.com'
const good = { integrationName: 'aws1', role: 'sallyport' }

async function run(query: Record<string, string>, { origin = 'https://access.example.com', env = {} as Record<string, string> } = {}) {
  await using api = await openAreaApi(integrationScriptRoutes({ site: { origin }, clusterName: 'sallyport' }))
  const script = await (await fetch(`${await api.listen()}${configureAwsOidc.path}${callSearch(query)}`)).text()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-aws-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const log = join(folder, 'log')
  await writeFile(log, '')
  await writeFile(join(folder, 'aws'), standIn)
  await chmod(join(folder, 'aws'), 0o755)
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH: [folder, process.env['PATH']].join(delimiter), LOG: log, ...env },
  })
  return { status, stdout, stderr, calls: (await readFile(log, 'utf8')).split('\n') }
}
/** What stands behind an option of a call. */
const jsonAfter = (calls: readonly string[], call: string, option: string): unknown => {
  const line = calls.find((one) => one.startsWith(call)) ?? ''
  return JSON.parse(/\{.*\}/.exec(line.slice(line.indexOf(option)))?.[0] ?? 'null')
}

test('a new account comes to trust the cluster, for this audience and subject and nothing else, and the role may list databases', async () => {
  const { status, stdout, calls } = await run(good)
  expect([status, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'arn:aws:iam::123456789012:role/sallyport'])
  expect(calls).toContainEqual(
    expect.stringMatching(
      /^iam create-open-id-connect-provider --url https:\/\/access\.example\.com --client-id-list discover\.teleport --tags/,
    ),
  )
  expect(jsonAfter(calls, 'iam create-role --role-name sallyport', '--assume-role-policy-document')).toMatchObject({
    Statement: [
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRoleWithWebIdentity',
        Principal: { Federated: provider },
        Condition: {
          StringEquals: { 'access.example.com:aud': 'discover.teleport', 'access.example.com:sub': 'system:proxy' },
        },
      },
    ],
  })
  expect(jsonAfter(calls, 'iam put-role-policy', '--policy-document')).toMatchObject({
    Statement: [{ Effect: 'Allow', Action: ['rds:DescribeDBInstances', 'rds:DescribeDBClusters'], Resource: '*' }],
  })
})
test('run again it brings provider and role up to date; a role that somebody else made stays as it is', async () => {
  const again = await run(good, { env: { PROVIDER: 'sts.amazonaws.com\tdiscover.teleport', ROLE_OF: 'sallyport' } })
  expect(again.status).toBe(0)
  expect(again.calls.filter((line) => /^iam (create|add)/.test(line))).toEqual([])
  expect(jsonAfter(again.calls, 'iam update-assume-role-policy', '--policy-document')).toMatchObject({
    Statement: [{ Principal: { Federated: provider } }],
  })
  const other = await run(good, { env: { PROVIDER: 'sts.amazonaws.com', ROLE_OF: 'None' } })
  expect([other.status, other.stderr]).toEqual([
    1,
    'error: there is a role sallyport that this cluster did not make; choose another name\n',
  ])
  expect(other.calls).toContainEqual(
    `iam add-client-id-to-open-id-connect-provider --open-id-connect-provider-arn ${provider} --client-id discover.teleport`,
  )
  expect(other.calls.filter((line) => /^iam (update|put|create)/.test(line))).toEqual([])
})
test('parameters that would run something, or mean something to JSON, make a script that says so and does nothing', async () => {
  const hostile = ["'; touch owned; '", '$(touch owned)', 'a"b', 'a b', '', 'x'.repeat(65), '`id`', 'a\nb']
  for (const value of hostile)
    for (const query of [
      { ...good, role: value },
      { ...good, integrationName: value },
    ]) {
      const { status, stderr, calls } = await run(query)
      expect([status, calls], JSON.stringify(query)).toEqual([1, ['']])
      expect(stderr).toMatch(/^error, the name of an? \w+ is made of/)
    }
})
test('a cluster that Amazon cannot trust says so', async () => {
  for (const origin of ['http://localhost:3080', 'https://access.example.com:3080']) {
    const { status, stderr, calls } = await run(good, { origin })
    expect([status, stderr, calls]).toEqual([
      1,
      `error, AWS does not trust ${origin}: serve this cluster at a public https address on port 443\n`,
      [''],
    ])
  }
})
