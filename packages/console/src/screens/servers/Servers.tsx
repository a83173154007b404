import { useMemo, useState } from 'react'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import type { Node, NodeWire } from '@sallyport/wire/entities/node.ts'
import { EnrollButton } from '../../parts/EnrollButton.tsx'
import { NoResources } from '../../parts/list/NoResources.tsx'
import { ResourceList } from '../../parts/list/ResourceList.tsx'
import type { ResourceKindList } from '../../parts/list/ResourceList.tsx'
import { useClusterId } from '../../parts/use-route.ts'
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
        nothing={
          <NoResources kind="server" request="node" one="server" many="servers">
            Reach Linux machines over SSH with short-lived certificates and recordings.
          </NoResources>
        }
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
