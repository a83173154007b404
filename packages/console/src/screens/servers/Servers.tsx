import { useMemo, useState } from 'react'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import type { Node, NodeWire } from '@sallyport/wire/entities/node.ts'
import { featureRules, routePath } from '@sallyport/wire/routes.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
import { RouteLink } from '../../parts/RouteLink.tsx'
import { formatSearch } from '../../parts/search-string.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { serverColumns } from './columns.tsx'
import { MarkContext, markKey } from './marks.tsx'
import { OpenBar } from './OpenBar.tsx'
import { QuickConnect } from './QuickConnect.tsx'

const servers: ResourceKindList<NodeWire, Node> = {
  call: nodes,
  title: 'Servers',
  one: 'server',
  many: 'servers',
  rule: 'node: list',
  searched: 'name, address or labels',
  order: { fields: ['hostname', 'addr'] },
  columns: serverColumns,
  hints: [
    ['j k', 'move'],
    ['↵', 'connect'],
    ['m', 'menu'],
  ],
  toItem: toNode,
  keyOf: markKey,
  labelsOf: ({ labels }) => labels,
}

/** The SSH servers of a cluster that the viewer may see. */
export function Servers() {
  const clusterId = useClusterId()
  const [marked, setMarked] = useState<ReadonlyMap<string, Node>>(new Map())
  const marks = useMemo(() => {
    const mark = (some: readonly Node[], on: boolean) =>
      setMarked((before) => {
        const next = new Map(before)
        for (const node of some)
          if (on) next.set(markKey(node), node)
          else next.delete(markKey(node))
        return next
      })
    return { has: (node: Node) => marked.has(markKey(node)), set: (node: Node, on: boolean) => mark([node], on), mark }
  }, [marked])
  return (
    <MarkContext value={marks}>
      <ResourceList
        kind={servers}
        actions={
          <>
            <QuickConnect clusterId={clusterId} />
            <EnrollButton kind="server" label="Enroll server" />
          </>
        }
        nothing={<NoServers clusterId={clusterId} />}
        renderAbove={(inSight) =>
          marked.size > 0 && (
            <OpenBar
              marked={[...marked.values()]}
              inSight={inSight.length}
              onMarkAll={() => marks.mark(inSight, true)}
              onClear={() => setMarked(new Map())}
            />
          )
        }
      />
    </MarkContext>
  )
}

/** Nothing is filtered, and nothing is there. */
function NoServers({ clusterId }: { clusterId: string }) {
  const { acl, cluster } = useUserContext()
  if (!acl.tokens.create || clusterId !== cluster.clusterId)
    return (
      <EmptyState
        title="No servers here"
        actions={
          featureRules.newAccessRequest(acl) && (
            <RouteLink className={buttonClass({})} to={routePath('newRequest', {}) + formatSearch({ kind: 'node' })}>
              Request access
            </RouteLink>
          )
        }
      >
        Either “{clusterId}” has none or your roles do not let you see them.
      </EmptyState>
    )
  return (
    <EmptyState title="Add your first server" actions={<EnrollButton kind="server" label="Enroll server" primary />}>
      Reach Linux machines over SSH with short-lived certificates and recordings.
    </EmptyState>
  )
}
