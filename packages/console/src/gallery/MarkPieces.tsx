import { Avatar, Avatars } from '../ui/Avatar.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Fact, FactList } from '../ui/FactList.tsx'
import { FilterChip } from '../ui/FilterChip.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { LabelList } from '../ui/LabelList.tsx'
import { LabelPill, ValuePill } from '../ui/LabelPill.tsx'
import { Logo } from '../ui/Logo.tsx'
import { StatusGlyph } from '../ui/StatusGlyph.tsx'
import { Tile } from '../ui/Tile.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { Group, Section } from './Section.tsx'
import styles from './Gallery.module.css'

const many = ['arch', 'criticality', 'env', 'kernel', 'owner', 'rack', 'region', 'role', 'team', 'zone'].map((name, index) => ({
  name,
  value: `value-${index}`,
}))
const press = () => undefined

/** Status, labels, chips, badges, people. */
export function MarkPieces() {
  return (
    <Section title="Small marks" note="Shape first, colour second, word always.">
      <Group title="Status">
        <span className="row">
          <StatusGlyph status="ok" />
          Online
        </span>
        <span className="row">
          <StatusGlyph status="off" />
          Offline
        </span>
        <span className="row">
          <StatusGlyph status="warn" />
          Outdated
        </span>
        <span className="row">
          <StatusGlyph status="danger" />
          Locked
        </span>
        <span className="row">
          <StatusGlyph status="info" />
          Info
        </span>
      </Group>
      <Group title="Label pills">
        <LabelPill label={{ name: 'env', value: 'production' }} onClick={press} />
        <LabelPill label={{ name: 'env', value: 'not a button' }} />
        <LabelPill label={{ name: 'team', value: 'in query' }} on onClick={press} />
        <ValuePill>ubuntu</ValuePill>
      </Group>
      <Group title="As many as fit">
        <div className={styles['narrow']}>
          <LabelList of="gallery-host" labels={many} onLabel={press} isOn={(label) => label.name === 'env'} />
        </div>
      </Group>
      <Group title="Filter chips">
        <FilterChip name="env" value="production" onRemove={press} />
        <FilterChip name="name" value="ci-*" not onRemove={press} />
        <FilterChip value="words" onRemove={press} />
      </Group>
      <Group title="Badges">
        <Badge>neutral</Badge>
        <Badge tone="outline">SSH</Badge>
        <Badge tone="brand">root</Badge>
        <Badge tone="ok">Joined</Badge>
        <Badge tone="info">Pending</Badge>
        <Badge tone="warn">Outdated</Badge>
        <Badge tone="danger">Expired</Badge>
        <Kbd>Ctrl K</Kbd>
      </Group>
      <Group title="People">
        <Avatars names={['margarethe', 'felix', 'tomasz']} />
        <Avatar name="zofia" />
        <Avatar name="aiko" size={18} />
      </Group>
      <Group title="Tooltip">
        <Tooltip text="Opens in a new tab" keys="Enter">
          <Button>Point here</Button>
        </Tooltip>
      </Group>
      <Group title="Mark">
        <Logo size={16} />
        <Logo size={20} />
        <Logo word />
        <Logo size={28} word />
      </Group>
      <Group title="Facts">
        <FactList>
          <Fact name="Owner">margarethe.o</Fact>
          <Fact name="Version">1.4.2</Fact>
        </FactList>
      </Group>
      <Group title="Tile">
        <Tile mark="PG" over="Self-hosted" name="PostgreSQL" end={<Badge tone="outline">Guided</Badge>} onClick={press} />
      </Group>
    </Section>
  )
}
