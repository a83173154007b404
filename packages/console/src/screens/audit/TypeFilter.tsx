import { ChevronDown, ListFilter } from 'lucide-react'
import { useMemo, useState } from 'react'
import { auditTypeChoices } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { auditGroups } from '@sallyport/wire/audit/event.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { TextField } from '../../ui/TextField.tsx'
import styles from './Audit.module.css'

const choices = auditTypeChoices().map((choice) => ({ ...choice, title: choice.titles[0] ?? choice.type }))

export interface TypeFilterProps {
  /** Event types; none means all. */
  chosen: readonly string[]
  /** Loaded events, for the counts. */
  events: readonly AuditDisplay[]
  onChosen: (types: string[]) => void
}

/** Which types of event the server is asked for, by group. The choice takes effect when the layer closes. */
export function TypeFilter({ chosen, events, onChosen }: TypeFilterProps) {
  const [draft, setDraft] = useState<readonly string[]>()
  const label =
    chosen.length === 0
      ? 'All types'
      : chosen.length === 1
        ? (choices.find((choice) => choice.type === chosen[0])?.title ?? chosen[0])
        : `${chosen.length} types`
  const close = (types: readonly string[]) => {
    setDraft(undefined)
    if (types.toSorted().join() !== chosen.toSorted().join()) onChosen([...types])
  }
  return (
    <Popover
      label="Event types"
      width={360}
      padded
      sheet
      open={draft !== undefined}
      onOpenChange={(open) => (open ? setDraft(chosen) : close(draft ?? chosen))}
      trigger={
        <Button icon={ListFilter} iconEnd={ChevronDown}>
          {label}
        </Button>
      }
    >
      <TypeChoices events={events} chosen={draft ?? chosen} onChosen={setDraft} onDone={close} />
    </Popover>
  )
}

function TypeChoices({
  chosen,
  events,
  onChosen,
  onDone,
}: {
  chosen: readonly string[]
  events: readonly AuditDisplay[]
  onChosen: (types: readonly string[]) => void
  onDone: (types: readonly string[]) => void
}) {
  const [text, setText] = useState('')
  const counts = useMemo(() => Map.groupBy(events, (event) => event.raw.event), [events])
  const words = text.toLowerCase()
  const shown = choices.filter((choice) => [choice.type, choice.group, ...choice.titles].join(' ').toLowerCase().includes(words))
  return (
    <div className={styles['types']}>
      <TextField
        label="Find type"
        hideLabel
        placeholder="Find type…"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={styles['typeList']}>
        {auditGroups
          .filter((group) => shown.some((choice) => choice.group === group))
          .map((group) => (
            <fieldset key={group}>
              <legend>{group}</legend>
              {shown
                .filter((choice) => choice.group === group)
                .map(({ type, title }) => (
                  <Checkbox
                    key={type}
                    className={styles['type'] ?? ''}
                    checked={chosen.includes(type)}
                    onChange={(event) => onChosen(event.target.checked ? [...chosen, type] : chosen.filter((one) => one !== type))}
                    label={
                      <>
                        <span className="grow trunc" title={type}>
                          {title}
                        </span>
                        <span className="muted sm">{counts.get(type)?.length.toLocaleString('en')}</span>
                      </>
                    }
                  />
                ))}
            </fieldset>
          ))}
        {shown.length === 0 && <p className="muted">No type matches</p>}
      </div>
      <div className="row">
        <Button kind="primary" onClick={() => onDone(chosen)}>
          {chosen.length === 0 ? 'Show all types' : `Show ${chosen.length} ${chosen.length === 1 ? 'type' : 'types'}`}
        </Button>
        {chosen.length > 0 && (
          <Button kind="quiet" onClick={() => onChosen([])}>
            Clear
          </Button>
        )}
      </div>
    </div>
  )
}
