import { RefreshCw } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { certificatePin } from '@sallyport/wire/calls/scripts.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { useNow } from '../../ui/use-now.ts'
import { commandOf, countdown } from './command.ts'
import { JoinWatch } from './JoinWatch.tsx'
import { labelsOf, whyNotLabel } from './labels.ts'
import { StepButtons } from './StepButtons.tsx'
import type { Tile } from './tiles.ts'
import type { Progress } from './use-address.ts'
import { useJoined, useJoinToken } from './use-join.ts'
import { forgetWaiting } from './waiting.ts'
import styles from './Discover.module.css'

const leads = {
  'install-node': (cluster: string) =>
    `It installs the agent, joins it to ${cluster} and starts it. Needs root and outgoing connections to the proxy.`,
  'install-openssh': (cluster: string) =>
    `It makes the sshd of the machine trust ${cluster}, and installs nothing. Needs root; the proxy has to reach the machine's SSH port.`,
}

/** The command to run on the machine, and the wait for it. */
export function ScriptStep({ tile, progress: { go } }: { tile: Tile; progress: Progress }) {
  const clusterId = useClusterId()
  const [typed, setTyped] = useState<string[]>([])
  const problem = whyNotLabel(typed)
  const [labels, setLabels] = useState(() => labelsOf(typed))
  const token = useJoinToken(labels)
  const pin = useQuery({ ...callQuery(certificatePin), staleTime: Infinity })
  const joined = useJoined(clusterId)
  const error = token.error ?? pin.error
  return (
    <div className={styles['column']}>
      <FocusedHeading>Run this on the server</FocusedHeading>
      <p className={styles['lead']}>{leads[tile.script](clusterId)}</p>
      <section className={styles['part']}>
        <TagsField
          label="Labels"
          aside={<span className="muted sm">optional</span>}
          placeholder="env=prod"
          commas
          values={typed}
          error={problem}
          help="Roles decide by labels who may reach the server. A change makes a new command."
          onValues={(next) => {
            setTyped(next)
            if (whyNotLabel(next) === undefined) setLabels(labelsOf(next))
          }}
        />
      </section>
      <section className={styles['part']} aria-labelledby="command">
        <div className={styles['partHead']}>
          <h2 id="command">Command</h2>
          <span className="grow" />
          {token.data?.expiry && <Validity expiry={token.data.expiry} />}
          <Button
            kind="quiet"
            size={24}
            icon={RefreshCw}
            busy={token.isFetching && token.data !== undefined}
            onClick={() => void token.refetch()}
          >
            New command
          </Button>
        </div>
        {token.data && pin.data ? (
          <CodeBlock
            text={commandOf({ baseUrl: config.baseUrl, token: token.data.id, script: tile.script, pin: pin.data.pin })}
            copyLabel="Copy command"
          />
        ) : (
          !error && <Skeleton />
        )}
        {error && <TokenError error={error} onRetry={() => void (token.error ? token : pin).refetch()} />}
        {pin.data && pin.data.pin !== '' && (
          <p className="muted sm">This proxy has a private certificate: the command recognises it by its key.</p>
        )}
      </section>
      {!error && <JoinWatch joined={joined} script={tile.script} />}
      <StepButtons
        next="Next: set up access"
        note={joined ? undefined : 'Next is available once the server has joined.'}
        onNext={
          joined &&
          (() => {
            forgetWaiting()
            go('access', joined.id)
          })
        }
        onBack={() => go('select')}
      />
    </div>
  )
}

function Validity({ expiry }: { expiry: Date }) {
  const left = expiry.getTime() - useNow(1000).getTime()
  if (left <= 0) return <span className={styles['over']}>Token expired</span>
  return (
    <span className="muted sm nowrap">
      Token valid for <span className="mono">{countdown(left)}</span>
    </span>
  )
}

function TokenError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const forbidden = error instanceof ApiError && error.status === 403
  const rule = 'token: create'
  return (
    <Alert
      kind="danger"
      title="No command could be made."
      action={
        <Button size={24} onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {error.message}
      {forbidden && (
        <>
          {' '}
          Ask for <span className="mono">{rule}</span> <CopyButton text={rule} label="Copy rule" />
        </>
      )}
    </Alert>
  )
}
