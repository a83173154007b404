import type { TerminalThemeName } from '../../parts/terminal-engine/terminal-theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Select } from '../../ui/Select.tsx'
import { useStore } from '../../ui/store.ts'
import { SuggestField } from '../../ui/SuggestField.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { changeSettings, fontSizes, scrollbackChoices, terminalSettings, type TerminalSettings } from './terminal-settings.ts'
import styles from './dialogs.module.css'

const themes: readonly { value: TerminalThemeName; label: string }[] = [
  { value: 'page', label: 'As the page' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'contrast', label: 'High contrast' },
  { value: 'paper', label: 'Paper' },
  { value: 'green', label: 'Green' },
]
const commonFonts = ['Cascadia Mono', 'Consolas', 'DejaVu Sans Mono', 'Fira Code', 'Menlo', 'Source Code Pro']
const sizes = Array.from({ length: fontSizes.max - fontSizes.min + 1 }, (_, index) => String(fontSizes.min + index))

type Flag = { [K in keyof TerminalSettings]: TerminalSettings[K] extends boolean ? K : never }[keyof TerminalSettings]
const groups: readonly { title: string; flags: readonly (readonly [Flag, string])[] }[] = [
  {
    title: 'Copy and paste',
    flags: [
      ['copyOnSelect', 'Copy what is selected at once'],
      ['rightClickPastes', 'Paste with the right mouse button'],
      ['interruptCopies', 'Ctrl+C copies while something is selected'],
      ['asksBeforePaste', 'Ask before several lines are pasted'],
    ],
  },
  {
    title: 'Signals',
    flags: [
      ['bell', 'Light up when the bell rings'],
      ['screenReader', 'Screen reader support'],
    ],
  },
]

/** How this viewer likes terminals, in this browser. Every change shows at once. */
export function SettingsDialog({ scrollback, onClose }: { scrollback: number; onClose: () => void }) {
  const settings = useStore(terminalSettings)
  return (
    <Dialog open onClose={onClose} title="Terminal settings" width={500} footer={<Button onClick={onClose}>Close</Button>}>
      <div className={styles['settings']}>
        <Select label="Colours" options={themes} value={settings.theme} onValue={(theme) => changeSettings({ theme })} />
        <Select
          label="Lines kept"
          value={String(settings.scrollback)}
          options={[
            { value: '0', label: `As the cluster says (${scrollback.toLocaleString('en')})` },
            ...scrollbackChoices
              .filter((lines) => lines > scrollback)
              .map((lines) => ({ value: String(lines), label: lines.toLocaleString('en') })),
          ]}
          onValue={(lines) => changeSettings({ scrollback: Number(lines) })}
        />
        <SuggestField
          label="Font"
          help="A font of this computer."
          placeholder="The console’s own"
          suggestions={commonFonts}
          value={settings.font}
          onValue={(font) => changeSettings({ font: font.slice(0, 100) })}
        />
        <Select
          label="Size"
          value={String(settings.fontSize)}
          options={sizes.map((value) => ({ value, label: `${value} px` }))}
          onValue={(pixels) => changeSettings({ fontSize: Number(pixels) })}
        />
      </div>
      {groups.map(({ title, flags }) => (
        <div key={title} className={styles['switches']} role="group" aria-label={title}>
          <h3>{title}</h3>
          {flags.map(([flag, label]) => (
            <Switch
              key={flag}
              label={label}
              checked={settings[flag]}
              onChange={(event) => changeSettings({ [flag]: event.target.checked })}
            />
          ))}
        </div>
      ))}
    </Dialog>
  )
}
