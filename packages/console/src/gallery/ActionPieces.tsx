import { ChevronDown, Ellipsis, Plus, RefreshCw } from 'lucide-react'
import { Button, type ButtonKind } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { SplitButton } from '../ui/SplitButton.tsx'
import { Group, Section, State } from './Section.tsx'

const rows: readonly [title: string, kind: ButtonKind, word: string][] = [
  ['Primary, one per screen', 'primary', 'Create user'],
  ['Secondary', 'secondary', 'Connect'],
  ['Quiet', 'quiet', 'Columns'],
  ['Danger, in dialogs only', 'danger', 'Delete user'],
]

/** Buttons; hover, press and focus show themselves. */
export function ActionPieces() {
  return (
    <Section title="Buttons" note="32 px, 24 px in rows, 40 px in cards and on touch.">
      {rows.map(([title, kind, word]) => (
        <Group key={kind} title={title} wide>
          <State name="rest">
            <Button kind={kind}>{word}</Button>
          </State>
          {(kind === 'secondary' || kind === 'quiet') && (
            <State name="toggled">
              <Button kind={kind} pressed>
                {word}
              </Button>
            </State>
          )}
          <State name="disabled">
            <Button kind={kind} disabled>
              {word}
            </Button>
          </State>
          <State name="disabled, with reason">
            <Button kind={kind} disabledReason="You need permission to do this">
              {word}
            </Button>
          </State>
          <State name="busy">
            <Button kind={kind} busy>
              {word}
            </Button>
          </State>
        </Group>
      ))}
      <Group title="Sizes">
        <Button kind="primary" size={24}>
          24
        </Button>
        <Button kind="primary">32</Button>
        <Button kind="primary" size={40}>
          40
        </Button>
      </Group>
      <Group title="With icon, icon only, split">
        <Button icon={Plus}>Add label</Button>
        <IconButton kind="secondary" icon={RefreshCw} label="Refresh" />
        <IconButton icon={Ellipsis} label="More" />
        <SplitButton
          main={<Button size={24}>Connect</Button>}
          choice={
            <Button size={24} square aria-label="Choose login">
              <Icon of={ChevronDown} size={14} />
            </Button>
          }
        />
        <Button kind="danger-quiet">Remove lock</Button>
      </Group>
    </Section>
  )
}
