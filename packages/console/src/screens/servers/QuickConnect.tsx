import { Zap } from 'lucide-react'
import { useId, useState } from 'react'
import { routePath } from '@sallyport/wire/routes.ts'
import { recentTargets, rememberLogin } from '../../parts/list/recent-logins.ts'
import { parseSshTarget } from '../../parts/ssh-target.ts'
import type { Problem } from '../../parts/validators/problem.ts'
import { sshTarget } from '../../parts/validators/ssh-target.ts'
import { TextField } from '../../ui/TextField.tsx'
import styles from './Servers.module.css'

/** `login@host[:port]` and Enter opens a terminal in a new tab; the last ten targets are offered. */
export function QuickConnect({ clusterId }: { clusterId: string }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const list = useId()
  const recent = recentTargets(clusterId, 10)
  return (
    <form
      className={styles['quick']}
      onSubmit={(event) => {
        event.preventDefault()
        const target = parseSshTarget(text)
        setProblem(sshTarget(text))
        if (!target) return
        window.open(routePath('consoleConnect', { clusterId, ...target }), '_blank', 'noopener')
        rememberLogin({ clusterId, ...target })
        setText('')
      }}
    >
      <TextField
        label="Quick connect"
        hideLabel
        mono
        icon={Zap}
        placeholder="login@host"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-1p-ignore=""
        list={list}
        value={text}
        error={problem}
        onChange={(event) => {
          setText(event.target.value)
          setProblem(undefined)
        }}
      />
      <datalist id={list}>
        {recent.map((one) => (
          // oxlint-disable-next-line jsx-a11y/control-has-associated-label -- its value is its label
          <option key={one.name} value={one.name} />
        ))}
      </datalist>
    </form>
  )
}
