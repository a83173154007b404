import { Check } from 'lucide-react'
import { useState } from 'react'
import type { Node } from '@sallyport/wire/entities/node.ts'
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

const causes: Record<Script, { list: readonly string[]; log: string }> = {
  'install-node': {
    list: [
      'The command was not run, or ended with an error.',
      'The machine cannot reach the proxy: check its firewall, and any proxy in between.',
      "The machine's clock is wrong by more than a minute.",
      'The token has expired: make a new command.',
    ],
    log: 'sudo journalctl -u sallyport-agent -n 50',
  },
  'install-openssh': {
    list: [
      'The command was not run, or ended with an error: it says which.',
      'The machine cannot reach the proxy: check its firewall, and any proxy in between.',
      'The token has expired: make a new command.',
    ],
    log: 'sudo sshd -t',
  },
}

/** Whether the machine has joined; why it might not have. */
export function JoinWatch({ joined, script }: { joined: Node | undefined; script: Script }) {
  if (joined)
    return (
      <section className={cx(styles['watch'], styles['found'])} role="status">
        <Icon of={Check} />
        <div className="grow">
          <span className="strong">{joined.hostname}</span> <span className="mono t2 sm">{joined.addr || 'reverse tunnel'}</span>
          <div className="muted sm">It is a server of the cluster now.</div>
        </div>
        <Badge tone="ok">Joined</Badge>
      </section>
    )
  return <Waiting script={script} />
}

function Waiting({ script }: { script: Script }) {
  const [since, setSince] = useState(() => Date.now())
  const [asked, setAsked] = useState(false)
  const elapsed = useNow(1000).getTime() - since
  const shows = asked || elapsed > hintAfter
  const { list, log } = causes[script]
  return (
    <>
      <section className={cx(styles['watch'], styles['waiting'])}>
        <span className={styles['door']} aria-hidden="true">
          <i />
        </span>
        <div className="grow">
          <div className="strong" role="status">
            Waiting for the server to join
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
          <p>The server has not joined yet. It goes on waiting; meanwhile, look at these:</p>
          <ul>
            {list.map((cause) => (
              <li key={cause}>{cause}</li>
            ))}
          </ul>
          <p>On the machine, this says more:</p>
          <CodeBlock text={log} />
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
