import { GitCommitHorizontal } from 'lucide-react'
import type { Node } from '@sallyport/wire/entities/node.ts'
import type { ResourceRow } from '../../parts/list/ResourceList.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { visibleLabels } from '../../ui/label-order.ts'
import { LabelList } from '../../ui/LabelList.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import type { Column } from '../../ui/use-list-table.ts'
import { MarkCell } from './marks.tsx'
import { ServerActions } from './ServerActions.tsx'
import { splitHost } from '../../parts/ssh-target.ts'
import styles from './Servers.module.css'

const subKinds: Record<string, string> = { openssh: 'OpenSSH', 'openssh-ec2-ice': 'EC2' }

export const serverColumns: Column<ResourceRow<Node>>[] = [
  {
    id: 'mark',
    header: 'Mark',
    width: '36px',
    kind: 'select',
    phone: 'hide',
    skeleton: '16px',
    cell: ({ item: node }) => <MarkCell node={node} />,
  },
  {
    id: 'hostname',
    header: 'Hostname',
    width: '33%',
    sort: 'server',
    phone: 'title',
    cell: ({ item: node }) => {
      const { name, tail } = splitHost(node.hostname)
      return (
        <span className="row">
          {/* Nothing tells of a server without an agent before somebody connects. */}
          {node.requiresRequest ? (
            <StatusGlyph status="off" label="Access has to be requested" />
          ) : node.subKind === 'openssh' ? (
            <StatusGlyph status="info" label="Registered" />
          ) : (
            <StatusGlyph status="ok" label="Online" />
          )}
          <span className="trunc" title={node.hostname}>
            {name}
            <span className="muted">{tail}</span>
          </span>
          {subKinds[node.subKind] && <Badge tone="outline">{subKinds[node.subKind]}</Badge>}
        </span>
      )
    },
  },
  {
    id: 'addr',
    header: 'Address',
    width: '176px',
    sort: 'server',
    kind: 'machine',
    cell: ({ item: node }) =>
      node.tunnel || node.addr === '' ? (
        <span className={styles['tunnel']}>
          <Icon of={GitCommitHorizontal} size={14} />
          reverse tunnel
        </span>
      ) : (
        <span title={node.addr}>{node.addr}</span>
      ),
  },
  {
    id: 'labels',
    header: 'Labels',
    cell: ({ item: node, isOn, onLabel }) => (
      <LabelList of={node.hostname} labels={visibleLabels(node.labels)} isOn={isOn} onLabel={onLabel} />
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '154px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '72px',
    cell: ({ item: node }) => <ServerActions node={node} />,
  },
]
