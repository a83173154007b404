import { useState } from 'react'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { rememberLogin } from '../../parts/list/recent-logins.ts'
import { login as whyNotLogin } from '../../parts/validators/login.ts'
import { handOver } from '../../parts/terminal-handover.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
import { SuggestField } from '../../ui/SuggestField.tsx'
import { lastLogin } from './LoginPicker.tsx'
import styles from './Servers.module.css'

/** Logins that the roles allow, those that most of the servers have first. */
function commonLogins(nodes: readonly Node[]): string[] {
  const counts = new Map<string, number>()
  for (const login of nodes.flatMap(({ sshLogins }) => sshLogins)) counts.set(login, (counts.get(login) ?? 0) + 1)
  return [...counts].toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b)).map(([login]) => login)
}

/** Opens one terminal on each of the servers, as tabs of one console. */
export function OpenDialog({ nodes, onClose, onOpened }: { nodes: readonly Node[]; onClose: () => void; onOpened: () => void }) {
  const logins = commonLogins(nodes)
  const [login, setLogin] = useState(() => nodes.flatMap((node) => lastLogin(node)?.login ?? [])[0] ?? logins[0] ?? '')
  const [error, setError] = useState<string>()
  const without = nodes.filter(({ sshLogins }) => !sshLogins.includes(login.trim()))
  const count = nodes.length === 1 ? '1 terminal' : `${nodes.length.toLocaleString('en')} terminals`
  const open = () => {
    const name = login.trim()
    const why = whyNotLogin(name)
    setError(why)
    const [first] = nodes
    if (why !== undefined || !first) return
    const targets = nodes.map(({ clusterId, id }) => ({ clusterId, serverId: id, login: name }))
    for (const { clusterId, id, hostname } of nodes) rememberLogin({ clusterId, serverId: id, login: name, host: hostname })
    window.open(handOver(window.localStorage, first.clusterId, targets), '_blank', 'noopener')
    onOpened()
    onClose()
  }
  return (
    <Dialog open bare onClose={onClose} title={`Open ${count}?`} width={500}>
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault()
          open()
        }}
        footer={
          <>
            <Button type="submit" kind="primary">
              Open {count}
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </>
        }
      >
        <SuggestField
          label="Login"
          value={login}
          suggestions={logins}
          error={error}
          onValue={(next) => {
            setLogin(next)
            setError(undefined)
          }}
        />
        <p className="t2">Each server gets a session and a recording of its own, in one tab of a new console.</p>
        <ul className={styles['chosen']} aria-label="Servers">
          {nodes.map((node) => (
            <li key={node.id}>{node.hostname}</li>
          ))}
        </ul>
        {login.trim() !== '' && without.length > 0 && (
          <Alert
            kind="warn"
            title={`Your roles do not list ${login.trim()} for ${without.length === nodes.length ? 'any of them' : 'all of them'}.`}
          >
            These will probably be refused: {without.map(({ hostname }) => hostname).join(', ')}.
          </Alert>
        )}
      </DialogForm>
    </Dialog>
  )
}
