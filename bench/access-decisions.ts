/** P12: a list of 100,000 labelled resources for a person with 50 roles, the first one and again, against asking role by role. */
import { createAccessChecker } from '@sallyport/proxy/core/access/checker.ts'
import { judgeLabels } from '@sallyport/proxy/core/access/label-judge.ts'
import { labelsOf } from '@sallyport/proxy/core/access/role-labels.ts'
import { roleKind } from '@sallyport/proxy/core/access/role.ts'
import type { Role, RoleSpecInput } from '@sallyport/proxy/core/access/role.ts'
import { createEntryIndex } from '@sallyport/proxy/core/inventory/entry-index.ts'
import type { Viewer } from '@sallyport/proxy/core/inventory/entry-index.ts'
import { parseResource } from '@sallyport/proxy/core/resources/resources.ts'
import { note, report } from './report.ts'
import { median } from './statistics.ts'

const resourceCount = 100_000
const roleCount = 50
const runs = 9
/** Milliseconds for all resources together. */
const aims = { first: 100, again: 10 }

const pick = <T>(list: readonly [T, ...T[]], index: number): T => list[index % list.length] ?? list[0]
const environments = ['dev', 'test', 'stage-eu', 'stage-us', 'prod'] as const
const regions = ['eu-west-1', 'eu-north-1', 'us-east-1', 'us-west-2', 'ap-south-1', 'ap-east-1'] as const

/** Names are all different, the other labels have few values each, as machines have them. */
const resources = Array.from({ length: resourceCount }, (_, index) => ({
  name: `host-${index}`,
  env: pick(environments, index),
  region: pick(regions, Math.floor(index / 5)),
  team: `team-${Math.floor(index / 30) % 50}`,
  tier: `tier-${Math.floor(index / 7) % 20}`,
}))

/** Exact values, lists, wildcards, regular expressions, traits; every tenth role denies something. */
const specs: readonly [(index: number) => RoleSpecInput, ...((index: number) => RoleSpecInput)[]] = [
  (index) => ({ allow: { logins: ['ops'], node_labels: { team: `team-${index}`, env: ['dev', 'test'] } } }),
  (index) => ({ allow: { logins: ['ops'], node_labels: { team: `team-${index}`, env: 'stage-*', region: 'eu-*' } } }),
  (index) => ({ allow: { logins: ['ops'], node_labels: { tier: `^tier-(${index}|1${index % 10})$`, region: ['us-*', 'ap-*'] } } }),
  (index) => ({ allow: { logins: ['ops'], node_labels: { team: '{{external.teams}}', tier: `tier-${index % 20}` } } }),
  (index) => ({
    allow: { logins: ['ops'], node_labels: { name: `host-*${index}` } },
    deny: index % 10 === 4 ? { node_labels: { env: 'prod', tier: `tier-${index % 20}` } } : {},
  }),
]
const roles: Role[] = Array.from({ length: roleCount }, (_, index) =>
  parseResource(roleKind, { metadata: { name: `role-${index}` }, spec: pick(specs, index)(index) }),
)
const subject = { username: 'bob', roles, traits: { teams: ['team-1', 'team-2', 'team-3'] } }

/** Milliseconds of this thread's processor time: what else the machine does meanwhile does not count. */
function time(work: () => unknown): number {
  const started = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1000
}

const index = createEntryIndex({
  kind: 'host',
  version: 'v1',
  nameOf: ({ id }) => id,
  textsOf: ({ id }) => [id],
  sortFields: { name: 'name' },
  standardSort: 'name',
  sortValue: ({ id }) => id,
  specOf: () => ({}),
})
for (const labels of resources) index.add({ id: labels.name, labels }, { revision: '', expires: Infinity, isElsewhere: false })
// The order is made by the first who asks.
index.list({ limit: 15 }, [{ canSee: () => true }], 0)

const first: number[] = []
const again: number[] = []
const roleByRole: number[] = []
const bare: number[] = []
let seen = 0
for (let run = 0; run < runs; run += 1) {
  // A new person each time: nothing is remembered of the one before.
  const access = createAccessChecker(subject)
  const viewer: Viewer = { canSee: (labels) => access.canSeeNode(labels) }
  const list = (): number => index.list({ limit: 15 }, [viewer], 0).totalCount
  first.push(time(() => (seen = list())))
  again.push(time(list))
  const user = { metadata: { name: 'bob' }, spec: { roles: [], traits: subject.traits } }
  const tests = roles.map((role) => labelsOf(role, 'node_labels', user))
  roleByRole.push(time(() => resources.filter((labels) => judgeLabels(tests, labels).visible)))
  bare.push(time(() => resources.filter(({ env }) => env === 'dev')))
}

const measure = `${resourceCount} resources filtered for ${roleCount} roles`
const against = { name: 'role by role', value: median(roleByRole) }
for (const [name, times] of [['first', first] as const, ['again', again] as const])
  report({
    measure: `${measure}, ${name}`,
    ours: median(times),
    unit: 'ms',
    against: name === 'first' ? against : { name: 'one label, compared', value: median(bare) },
    aim: { text: `< ${aims[name]} ms`, holds: median(times) < aims[name] },
  })

const everybody: Viewer = { canSee: () => true }
// Another one each time as well.
const queries = Array.from({ length: runs }, (_, run) => {
  const query = `labels["env"] == "prod" && (hasPrefix(labels["region"], "eu-${run % 2 ? 'n' : 'w'}") || search("tier-${run}"))`
  return time(() => index.list({ limit: 15, query }, [everybody], 0))
})
note(`${seen} of the resources may be seen; a query with three conditions over all takes ${median(queries).toFixed(1)} ms`)
