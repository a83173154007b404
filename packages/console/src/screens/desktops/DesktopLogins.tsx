import { Monitor } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { desktopActive } from '@sallyport/wire/calls/desktops.ts'
import type { Desktop } from '@sallyport/wire/entities/desktop.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { callQuery } from '../../api/queries.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { TextField } from '../../ui/TextField.tsx'
import styles from './Desktops.module.css'

/** Who to connect as: those that the roles allow, or one that is typed. Links, so any way to open one works. */
export function DesktopLogins({ desktop, onDone }: { desktop: Desktop; onDone: () => void }) {
  const { name, logins, takesOtherLogins } = desktop
  const clusterId = useClusterId()
  const [typed, setTyped] = useState('')
  const active = useQuery({ ...callQuery(desktopActive, { params: { clusterId, desktopName: name } }), throwOnError: false })
  const pathOf = (username: string) => routePath('desktop', { clusterId, desktopName: name, username })
  const shown = logins.filter((login) => login.toLowerCase().includes(typed.toLowerCase()))
  const mayType = takesOtherLogins || logins.length > 6
  return (
    <div className={styles['picker']}>
      {mayType && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const login = typed.trim() || shown[0]
            if (!login) return
            window.open(pathOf(login), '_blank', 'noopener')
            onDone()
          }}
        >
          <TextField
            label={`User on ${name}`}
            hideLabel
            mono
            placeholder="Enter a Windows user…"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-1p-ignore=""
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            end={<Kbd>↵</Kbd>}
          />
        </form>
      )}
      {active.data?.active === true && <p className={styles['busy']}>Someone is connected to it now.</p>}
      {shown.length > 0 && <div className={styles['heading']}>Allowed by your roles</div>}
      {shown.map((login) => (
        <a key={login} className={styles['login']} href={pathOf(login)} target="_blank" rel="noopener" onClick={onDone}>
          <Icon of={Monitor} />
          <span className="mono trunc">{login}</span>
        </a>
      ))}
      {logins.length === 0 && (
        <p className={styles['none']}>
          {takesOtherLogins ? 'No user is listed. Type one.' : 'Your roles allow no user of this desktop. Ask for windows_desktop_logins.'}
        </p>
      )}
    </div>
  )
}
