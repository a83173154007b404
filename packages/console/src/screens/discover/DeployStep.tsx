import { useState } from 'react'
import { databaseServices } from '@sallyport/wire/calls/databases.ts'
import { request } from '../../api/page.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { commandOf } from './command.ts'
import { CommandPart } from './CommandPart.tsx'
import { Gone } from './Gone.tsx'
import { JoinWatch } from './JoinWatch.tsx'
import type { Enrolled } from './kinds.ts'
import { matchersOf, whyNotMatchers } from './labels.ts'
import { StepButtons } from './StepButtons.tsx'
import type { Progress } from './use-address.ts'
import { useEnrolled, useJoined, useJoinToken } from './use-join.ts'
import { forgetWaiting } from './waiting.ts'
import styles from './Discover.module.css'

/** The agents that serve databases and carry a label of a token. */
async function findServices(clusterId: string, search: string, signal: AbortSignal) {
  const { items } = await request(databaseServices, { params: { clusterId }, query: { limit: 1, search } }, { signal })
  return items.map(({ name }) => ({ title: 'The agent', where: name }))
}

/** An agent that reaches the database, and others with its labels. */
export function DeployStep({ database, progress }: { database: string; progress: Progress }) {
  const clusterId = useClusterId()
  const { data: enrolled, error, refetch } = useEnrolled(clusterId, 'database', database)
  if (enrolled === null) return <Gone kind="database" progress={progress} />
  return (
    <div className={styles['column']}>
      <FocusedHeading>Run this near the database</FocusedHeading>
      <p className={styles['lead']}>
        On its own machine, or on one that reaches it. It installs an agent that opens the way to the databases with these labels, and to
        nothing else. Needs Linux, root and outgoing connections to the proxy.
      </p>
      {error && <LoadError title="The database could not be read." error={error} onRetry={() => void refetch()} />}
      {enrolled ? <Deploy enrolled={enrolled} progress={progress} /> : !error && <Skeleton />}
    </div>
  )
}

function Deploy({ enrolled: { labels }, progress: { next, back } }: { enrolled: Enrolled; progress: Progress }) {
  const clusterId = useClusterId()
  const [typed, setTyped] = useState(() => labels.map(({ name, value }) => `${name}=${value}`))
  const problem = whyNotMatchers(typed, labels)
  const [matchers, setMatchers] = useState(() => matchersOf(typed))
  const token = useJoinToken({ role: 'Db', matchers })
  const joined = useJoined(clusterId, 'databaseservices', findServices)
  return (
    <>
      <section className={styles['part']}>
        <TagsField
          label="Labels of its databases"
          placeholder="env=prod"
          commas
          values={typed}
          error={problem}
          help="A database has to have all of them; * stands for every database. A change makes a new command."
          onValues={(changed) => {
            setTyped(changed)
            if (whyNotMatchers(changed, labels) === undefined) setMatchers(matchersOf(changed))
          }}
        />
      </section>
      <CommandPart
        token={token}
        missing="Correct the labels to see the command."
        commandOf={(given) => (problem === undefined ? commandOf({ ...given, script: 'install-database' }) : undefined)}
      />
      {!token.error && (
        <JoinWatch joined={joined} noun="agent" become="It is the way to databases with these labels now." script="install-database" />
      )}
      <StepButtons
        next="Next: mutual TLS"
        note={joined ? undefined : 'Next is available once the agent has joined.'}
        onNext={
          joined &&
          (() => {
            forgetWaiting()
            next()
          })
        }
        onBack={back}
      />
    </>
  )
}
