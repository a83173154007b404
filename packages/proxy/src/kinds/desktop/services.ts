/** What reaches desktops: this proxy, and the agents that announce some. */
import { hash } from 'node:crypto'
import { z } from 'zod'
import type { InventoryKind } from '../../core/inventory/entry.ts'
import { openRegistry } from '../../core/inventory/registry.ts'
import type { RegistryDeps } from '../../core/inventory/registry.ts'
import type { ListRequest } from '../../core/inventory/list-query.ts'
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { Hosts } from '../../core/join/hosts.ts'
import type { Desktop } from './desktop.ts'

const serviceSchema = z.object({ id: z.string(), labels: z.record(z.string(), z.string()), hostname: z.string(), addr: z.string() })
export type DesktopService = z.output<typeof serviceSchema>
type Field = 'name' | 'hostname'

const serviceKind: InventoryKind<DesktopService, DesktopService, Field> = {
  kind: 'windows_desktop_service',
  version: 'v3',
  schema: serviceSchema,
  nameOf: ({ id }) => id,
  textsOf: ({ id, hostname }) => [id, hostname],
  sortFields: { name: 'name', hostname: 'hostname' },
  standardSort: 'name',
  sortValue: ({ id, hostname }, field) => (field === 'name' ? id : hostname),
  specOf: ({ hostname, addr }) => ({ hostname, addr }),
}

/** The id under which the proxies of a cluster reach desktops: always the same, and a UUID as consoles expect it. */
export function ownServiceId(clusterName: string): string {
  const hex = hash('sha256', `desktop service of ${clusterName}`)
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

export interface DesktopServices extends AsyncDisposable {
  /** Id of this proxy among them. */
  readonly ownId: string
  /** Those that reach one of the desktops, and this proxy, by the list grammar. */
  list(request: ListRequest, desktops: Iterable<Desktop>): Promise<Page<DesktopService>>
}

export interface DesktopServicesDeps extends RegistryDeps {
  hosts: Pick<Hosts, 'find'>
  cluster: { name: string; publicUrl: string }
}

export async function openDesktopServices({ hosts, cluster, ...deps }: DesktopServicesDeps): Promise<DesktopServices> {
  const registry = await openRegistry(serviceKind, deps)
  const ownId = ownServiceId(cluster.name)
  const known = new Set<string>()
  const place = (service: DesktopService): void => {
    known.add(service.id)
    registry.place(service, Infinity)
  }
  return {
    ownId,
    async list(request, desktops) {
      // The address of the proxy is only known once it listens.
      const { hostname, host } = new URL(cluster.publicUrl)
      place({ id: ownId, labels: {}, hostname, addr: host })
      const reaching = new Set([...desktops].flatMap(({ via }) => via ?? []))
      for (const id of reaching) {
        if (known.has(id)) continue
        const found = await hosts.find(id)
        if (found) place({ id, labels: {}, hostname: found.hostname, addr: '' })
      }
      // What a person is shown nothing of is not there for them.
      const seen = { canSee: () => true }
      const page = registry.list({ ...request, limit: known.size, startKey: undefined }, [seen])
      const items = page.items.filter(({ id }) => id === ownId || reaching.has(id))
      const from = request.startKey ? items.findIndex(({ id }) => id === request.startKey) : 0
      const end = Math.max(0, from) + request.limit
      return { items: items.slice(Math.max(0, from), end), startKey: items[end]?.id ?? '', totalCount: items.length }
    },
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  }
}
