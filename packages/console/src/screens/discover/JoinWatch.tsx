import { Check } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { useNow } from '../../ui/use-now.ts'
import { countdown } from './command.ts'
import type { Script } from './command.ts'
import styles from './Discover.module.css'

/** After so long without a result, likely causes are told. */
const hintAfter = 5 * 60_000

const notRun = 'The command was not run, or ended with an error: it says which.'
const firewall = 'The machine cannot reach the proxy: check its firewall, and any proxy in between.'
const expired = 'The token has expired: make a new command.'
const clock = "The machine's clock is wrong by more than a minute."
const log = 'sudo journalctl -u sallyport-agent -n 50'

const causes: Record<Script, { list: readonly string[]; log: string }> = {
  'install-node': { list: ['The command was not run, or ended with an error.', firewall, clock, expired], log },
  'install-openssh': { list: [notRun, firewall, expired], log: 'sudo sshd -t' },
  'install-app': { list: [notRun, firewall, clock, 'Another application has that name: choose one of its own.', expired], log },
  'install-database': { list: [notRun, firewall, clock, expired], log },
  'install-desktop': { list: [notRun, firewall, clock, 'Another desktop has that name: choose one of its own.', expired], log },
  'install-kube': { list: [notRun, firewall, clock, 'Another cluster has that name: choose one of its own.', expired], log },
}

export interface JoinWatchProps {
  joined: { title: string; where: string } | undefined
  /** What is waited for. */
  noun: string
  /** What it is then. */
  become: string
  script: Script
}

/** Whether it has joined; why it might not have. */
export function JoinWatch({ joined, noun, become, script }: JoinWatchProps) {
  if (joined)
    return (
      <section className={cx(styles['watch'], styles['found'])} role="status">
        <Icon of={Check} />
        <div className="grow">
          <span className="strong">{joined.title}</span> <span className="mono t2 sm">{joined.where}</span>
          <div className="muted sm">{become}</div>
        </div>
        <Badge tone="ok">Joined</Badge>
      </section>
    )
  return <Waiting script={script} noun={noun} />
}

function Waiting({ script, noun }: { script: Script; noun: string }) {
  const [since, setSince] = useState(() => Date.now())
  const [asked, setAsked] = useState(false)
  const elapsed = useNow(1000).getTime() - since
  const shows = asked || elapsed > hintAfter
  const { list, log: command } = causes[script]
  return (
    <>
      <section className={cx(styles['watch'], styles['waiting'])}>
        <span className={styles['door']} aria-hidden="true">
          <i />
        </span>
        <div className="grow">
          <div className="strong" role="status">
            Waiting for the {noun} to join
          </div>
          <div className="muted sm">
            Checking every 3 seconds, <span className="mono">{countdown(elapsed).replace(/^00:/, '')}</span> so far.
          </div>
        </div>
        <Button kind="quiet" size={24} aria-expanded={shows} onClick={() => setAsked(!shows)}>
          Not joining?
        </Button>
      </section>
      {shows && (
        <section className={styles['causes']} aria-label="Likely causes">
          <p>The {noun} has not joined yet. It goes on waiting; meanwhile, look at these:</p>
          <ul>
            {list.map((cause) => (
              <li key={cause}>{cause}</li>
            ))}
          </ul>
          <p>On the machine, this says more:</p>
          <CodeBlock text={command} />
          <Button
            size={24}
            onClick={() => {
              setAsked(false)
              setSince(Date.now())
            }}
          >
            Keep waiting
          </Button>
        </section>
      )}
    </>
  )
}
