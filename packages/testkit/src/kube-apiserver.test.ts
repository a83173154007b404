/** The same ways as in kubernetes.test.ts, against a real kube-apiserver and with the real kubectl. */
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KubeClient, saveDocuments } from './kube-client.ts'
import { startApiServer, whyNoApiServer } from './targets/kube-apiserver.ts'
import type { ApiServer } from './targets/kube-apiserver.ts'
import { whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const apiVersion = 'rbac.authorization.k8s.io/v1'

describe.skipIf(whyNoApiServer() ?? whyNoProgram('kubectl'))('a real kube-apiserver', { timeout: 120_000 }, () => {
  const opened = new AsyncDisposableStack()
  let world: World
  let server: ApiServer
  let bob: KubeClient

  beforeAll(async () => {
    server = opened.use(await startApiServer())
    const rule = (verbs: string[], resources: string[]) => ({ apiGroups: [''], resources, verbs })
    const clusterRole = (name: string, ...rules: object[]) => ({ apiVersion, kind: 'ClusterRole', metadata: { name }, rules })
    const bind = (name: string, kind: string, to: string) => ({
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind, name: to }],
    })
    const pod = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'main', image: 'busybox' }] },
    })
    for (const [path, document] of [
      [`${rbac}/clusterroles`, clusterRole('impersonator', rule(['impersonate'], ['users', 'groups']))],
      [
        `${rbac}/clusterroles`,
        clusterRole('pods', rule(['get', 'list', 'watch', 'delete'], ['pods', 'pods/log']), rule(['create', 'get'], ['pods/exec'])),
      ],
      [`${rbac}/clusterrolebindings`, bind('impersonator', 'User', 'sallyport')],
      [`${rbac}/clusterrolebindings`, bind('pods', 'Group', 'developers')],
      ...['web-1', 'web-2', 'db-1'].map((name) => ['/api/v1/namespaces/default/pods', pod(name)] as const),
    ] as const)
      await server.create(path, document)
    world = opened.use(await createWorld({ people: ['bob'] }))
    const resources = [
      { kind: 'pod', namespace: 'default', name: 'web-*', verbs: ['*'] },
      { kind: 'configmap', namespace: '*', name: '*', verbs: ['*'] },
    ]
    const allow = {
      kubernetes_labels: { '*': '*' },
      kubernetes_users: ['bob@example.com'],
      kubernetes_groups: ['developers'],
      kubernetes_resources: resources,
    }
    await saveDocuments(
      world,
      { kind: 'role', version: 'v7', metadata: { name: 'kube' }, spec: { allow } },
      { kind: 'user', version: 'v2', metadata: { name: 'bob' }, spec: { roles: ['kube'], traits: {} } },
      { kind: 'kube_cluster', version: 'v3', metadata: { name: 'real' }, spec: { kubeconfig: server.kubeconfig } },
    )
    bob = opened.use(await KubeClient.signIn(world, 'bob'))
  })
  afterAll(() => opened.disposeAsync())

  test('knows who came, with the groups of their roles', async () => {
    const { code, out } = await bob.kubectl('real', ['auth', 'whoami', '-o', 'json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      status: { userInfo: { username: 'bob@example.com', groups: ['developers', 'system:authenticated'] } },
    })
    expect(await bob.kubectl('real', ['--as', 'admin', 'get', 'pods'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('do not allow the Kubernetes user "admin"'),
    })
  })

  test('lists what roles show, and refuses what the cluster does not allow in its own words', async () => {
    expect(await bob.kubectl('real', ['get', 'pods', '-o', 'name'])).toMatchObject({ code: 0, out: 'pod/web-1\npod/web-2\n' })
    expect((await bob.kubectl('real', ['get', 'pods'])).out).toMatch(/^NAME +READY[^]*web-1[^]*web-2/)
    expect(await bob.kubectl('real', ['get', 'pod', 'db-1'])).toMatchObject({ code: 1, err: expect.stringContaining('your roles') })
    expect(await bob.kubectl('real', ['get', 'configmaps'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('configmaps is forbidden: User "bob@example.com" cannot list resource "configmaps"'),
    })
    expect(await bob.kubectl('real', ['get', 'pod', 'web-9'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('pods "web-9" not found'),
    })
  })

  test('tells who watches of what they may see, as it happens', async () => {
    const watch = await bob.open('real', '/api/v1/namespaces/default/pods?watch=true')
    const seen: string[] = []
    createInterface(watch).on('line', (line) => {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string } } }
      seen.push(`${type} ${object.metadata.name}`)
    })
    await expect.poll(() => seen).toEqual(['ADDED web-1', 'ADDED web-2'])
    await server.create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'db-2' },
      spec: { containers: [{ name: 'main', image: 'busybox' }] },
    })
    expect(await bob.kubectl('real', ['delete', 'pod', 'web-2', '--wait=false'])).toMatchObject({ code: 0 })
    await expect.poll(() => seen.at(-1)).toMatch(/^(MODIFIED|DELETED) web-2$/)
    expect(seen.join()).not.toContain('db-2')
    watch.destroy()
  })

  test('takes a command as far as a pod without a node can run one, and a log as far as there is one', async () => {
    expect(await bob.kubectl('real', ['exec', 'web-1', '--', 'true'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('pod web-1 does not have a host assigned'),
    })
    expect(await bob.kubectl('real', ['logs', 'web-1'])).toMatchObject({ code: 0, out: '' })
  })
})
