import { Group, Section } from './Section.tsx'
import styles from './Gallery.module.css'

function Swatches({ prefix = '', names }: { prefix?: string; names: readonly (string | number)[] }) {
  return names.map((name) => (
    <span key={name} className={styles['swatch']}>
      <i style={{ background: `var(--${prefix}${name})` }} />
      <small className="mono">{name}</small>
    </span>
  ))
}

const hundreds = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900]

/** Colour and type. */
export function GroundPieces() {
  return (
    <>
      <Section title="Colour" note="Five layers, four text levels, one brand ramp, four statuses.">
        <Group title="Layers, deep to popout">
          <Swatches names={['deep', 'sunken', 'surface', 'elevated', 'popout']} />
        </Group>
        <Group title="Brand">
          <Swatches prefix="brand-" names={hundreds} />
        </Group>
        <Group title="Status">
          <Swatches names={['ok', 'info', 'warn', 'danger', 'ok-bg', 'info-bg', 'warn-bg', 'danger-bg']} />
        </Group>
        <Group title="Charts">
          <Swatches names={['c1', 'c2', 'c3', 'c4', 'c5', 'c6']} />
        </Group>
        <Group title="ANSI 0 to 15" wide>
          <Swatches prefix="ansi-" names={Array.from({ length: 16 }, (_, index) => index)} />
        </Group>
        <Group title="Text">
          <span>text</span>
          <span className="t2">text-2</span>
          <span className="muted">muted</span>
          <span aria-disabled="true" style={{ color: 'var(--disabled)' }}>
            disabled
          </span>
          <a href="#type">link</a>
        </Group>
      </Section>
      <Section title="Type" note="Names in sans, machine values in mono. 600 for headings and actions, 300 for 24 px and up.">
        <Group title="Scale" wide>
          <span style={{ fontSize: 'var(--f34)', fontWeight: 'var(--w-light)', letterSpacing: '-.02em' }}>34 hero</span>
          <span style={{ fontSize: 'var(--f24)', fontWeight: 'var(--w-strong)' }}>24 page</span>
          <span style={{ fontSize: 'var(--f18)', fontWeight: 'var(--w-strong)' }}>18 dialog</span>
          <span style={{ fontSize: 'var(--f16)' }}>16 lead</span>
          <span>14 body</span>
          <span className="mono">13 values 10.42.118.207:3022</span>
          <span className="sm">12 label</span>
          <span style={{ fontSize: 'var(--f10)' }}>10 axis</span>
        </Group>
        <Group title="Look-alikes">
          <span style={{ fontSize: 'var(--f20)' }}>Il1 O0 rn m</span>
          <span className="mono" style={{ fontSize: 'var(--f20)' }}>
            Il1 O0 rn m
          </span>
        </Group>
      </Section>
    </>
  )
}
