import { useRef, useState, type CSSProperties } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { isTabColour, placeTitle, tabColours, type TabColour, type TerminalTab } from './console-tabs.ts'
import styles from './dialogs.module.css'

const longestName = 60

export interface TabNameDialogProps {
  tab: TerminalTab
  onSave: (mark: { name: string | undefined; colour: TabColour | undefined }) => void
  onClose: () => void
}

/** A name and a colour of the viewer's own for a tab. */
export function TabNameDialog({ tab, onSave, onClose }: TabNameDialogProps) {
  const [name, setName] = useState(tab.name ?? '')
  const [colour, setColour] = useState<TabColour | undefined>(tab.colour)
  const field = useRef<HTMLInputElement>(null)
  const place = placeTitle(tab)
  return (
    <Dialog open bare onClose={onClose} title="Name and colour of the tab" width={400} initialFocus={field}>
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault()
          onSave({ name: name.trim() === '' || name.trim() === place ? undefined : name.trim(), colour })
        }}
        footer={
          <>
            <Button type="submit" kind="primary">
              Save tab
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </>
        }
      >
        <TextField
          ref={field}
          label="Name"
          help={`Left empty, the tab is called ${place}.`}
          placeholder={place}
          maxLength={longestName}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <fieldset className={styles['colours']}>
          <legend>Colour</legend>
          {['none', ...Object.keys(tabColours)].map((one) => (
            <label key={one} className={styles['colour']}>
              <input
                type="radio"
                name="colour"
                checked={one === (colour ?? 'none')}
                onChange={() => setColour(isTabColour(one) ? one : undefined)}
              />
              <i
                aria-hidden="true"
                style={isTabColour(one) ? ({ '--tab': `var(--ansi-${tabColours[one]})` } as CSSProperties) : undefined}
              />
              {one}
            </label>
          ))}
        </fieldset>
      </DialogForm>
    </Dialog>
  )
}
