/** How what was enrolled is found in the lists, and where it opens. */
import { apps } from '@sallyport/wire/calls/apps.ts'
import { databases } from '@sallyport/wire/calls/databases.ts'
import { desktops } from '@sallyport/wire/calls/desktops.ts'
import { kubernetes } from '@sallyport/wire/calls/kubernetes.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { toApp } from '@sallyport/wire/entities/app.ts'
import { toDatabase } from '@sallyport/wire/entities/database.ts'
import { toDesktop } from '@sallyport/wire/entities/desktop.ts'
import { toKubeCluster } from '@sallyport/wire/entities/kube-cluster.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { request } from '../../api/page.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { plain } from './kinds.ts'
import type { Enrolled } from './kinds.ts'
import type { Kind } from './tiles.ts'

export type Find<T> = (clusterId: string, search: string, signal: AbortSignal) => Promise<readonly T[]>

const none = { labels: [], principals: {}, protocol: '', open: undefined } as const
const few = 10

export const finders: Record<Kind, Find<Enrolled>> = {
  async server(clusterId, search, signal) {
    const { items } = await request(nodes, { params: { clusterId }, query: { limit: few, search } }, { signal })
    return items
      .map((wire) => toNode(wire, clusterId))
      .map(({ id, hostname, addr, labels, sshLogins: logins }) => ({
        ...none,
        id,
        title: hostname,
        where: addr || 'reverse tunnel',
        labels,
        principals: { logins },
        open:
          logins[0] === undefined
            ? undefined
            : { href: routePath('consoleConnect', { clusterId, serverId: id, login: logins[0] }), as: logins[0] },
      }))
  },
  async application(clusterId, search, signal) {
    const { items } = await request(apps, { params: { clusterId }, query: { limit: few, search } }, { signal })
    return items
      .map((wire) => toApp(wire, clusterId))
      .map(({ name, uri, labels, launchUrl, isCloudOrTcpEndpoint }) => ({
        ...none,
        id: name,
        title: name,
        where: uri,
        labels,
        open: launchUrl === '' || isCloudOrTcpEndpoint ? undefined : { href: launchUrl, as: '' },
      }))
  },
  async database(clusterId, search, signal) {
    const { items } = await request(databases, { params: { clusterId }, query: { limit: few, search } }, { signal })
    return items.map(toDatabase).map(({ name, hostname, labels, users, names, protocol, isInteractive }) => {
      const login = { user: plain(users)[0], name: plain(names)[0] }
      return {
        id: name,
        title: name,
        where: hostname,
        labels,
        principals: { databaseUsers: users, databaseNames: names },
        protocol,
        open:
          isInteractive && login.user !== undefined && login.name !== undefined
            ? { href: routePath('consoleDatabase', { clusterId, database: name }) + formatSearch(login), as: login.user }
            : undefined,
      }
    })
  },
  async kubernetes(clusterId, search, signal) {
    const { items } = await request(kubernetes, { params: { clusterId }, query: { limit: few, search } }, { signal })
    return items.map(toKubeCluster).map(({ name, labels, users, groups }) => ({
      ...none,
      id: name,
      title: name,
      where: 'through an agent',
      labels,
      principals: { kubeUsers: users, kubeGroups: groups },
    }))
  },
  async desktop(clusterId, search, signal) {
    const { items } = await request(desktops, { params: { clusterId }, query: { limit: few, search } }, { signal })
    return items.map(toDesktop).map(({ name, addr, labels, logins }) => ({
      ...none,
      id: name,
      title: name,
      where: addr,
      labels,
      principals: { windowsLogins: logins },
      open:
        logins[0] === undefined
          ? undefined
          : { href: routePath('desktop', { clusterId, desktopName: name, username: logins[0] }), as: logins[0] },
    }))
  },
}
