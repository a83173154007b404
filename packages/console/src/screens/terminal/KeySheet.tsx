import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import styles from './dialogs.module.css'

interface Group {
  title: string
  keys: readonly (readonly [keys: string, does: string])[]
}

/** `Main` stands for Ctrl, on a Mac for Cmd. */
const groupsFor = (main: string, tab: string, lettered: string): readonly Group[] => [
  {
    title: 'Anywhere in the console',
    keys: [
      [`${tab} 1…9`, 'Go to tab 1 to 9'],
      ['Alt PgUp', 'Previous tab'],
      ['Alt PgDn', 'Next tab'],
      ['Ctrl Shift Esc', 'Leave the terminal for its tab'],
      ['Ctrl Shift B', 'Broadcast to several terminals, or stop'],
      ['Ctrl Shift ?', 'These keys'],
    ],
  },
  {
    title: 'In a terminal',
    keys: [
      [`${lettered} C`, 'Copy'],
      [`${lettered} V`, 'Paste'],
      ['Ctrl Ins', 'Copy'],
      ['Shift Ins', 'Paste'],
      [`${lettered} F`, 'Search the output'],
      [`${main} +`, 'Larger letters'],
      [`${main} −`, 'Smaller letters'],
      [`${main} 0`, 'Usual size'],
      ['Shift PgUp', 'Scroll back'],
      [`${main} click`, 'Open a link'],
    ],
  },
  {
    title: 'On a tab',
    keys: [
      ['← →', 'Previous or next tab'],
      ['Ctrl Shift ← →', 'Move the tab'],
      ['Enter', 'Into the terminal'],
      ['F2', 'Name and colour'],
      ['Shift F10', 'Menu of the tab'],
      ['Del', 'Close the tab'],
    ],
  },
]

/** The keys that the console takes; all others reach the program. */
export function KeySheet({ mac, onClose }: { mac: boolean; onClose: () => void }) {
  const groups = mac ? groupsFor('Cmd', 'Ctrl', 'Cmd') : groupsFor('Ctrl', 'Alt', 'Ctrl Shift')
  return (
    <Dialog open onClose={onClose} title="Keys of the console" width={700} footer={<Button onClick={onClose}>Close</Button>}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable with the keyboard */}
      <div className={styles['sheet']} role="region" aria-label="Keys" tabIndex={0}>
        {groups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([pressed, does]) => (
                <div key={pressed}>
                  <dt>
                    {pressed.split(' ').map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
