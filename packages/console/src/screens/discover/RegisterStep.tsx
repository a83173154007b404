import { useState } from 'react'
import { createDatabase, databaseServices } from '@sallyport/wire/calls/databases.ts'
import { toDatabaseService } from '@sallyport/wire/entities/database.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { request } from '../../api/page.ts'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { labelsOf } from '../../parts/typed-labels.ts'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { useClusterId } from '../../parts/use-route.ts'
import * as whyNot from '../../parts/validators/enrolment.ts'
import { labels as whyNotLabels } from '../../parts/validators/labels.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { engineOf } from './engines.ts'
import { covers } from './labels.ts'
import { StepButtons } from './StepButtons.tsx'
import type { Tile } from './tiles.ts'
import type { Progress } from './use-address.ts'
import styles from './Discover.module.css'

const ways = [
  { value: 'proxy', label: 'The proxy reaches it', help: 'Nothing has to be installed.' },
  {
    value: 'agent',
    label: 'An agent near it does',
    help: 'It dials the proxy, for databases in networks that let nobody in. It knows the database by its labels.',
  },
] as const
type Way = (typeof ways)[number]['value']

/** What a database is called, where it is, and who reaches it. */
export function RegisterStep({ tile, progress: { go, back } }: { tile: Tile; progress: Progress }) {
  const clusterId = useClusterId()
  const { protocol, port, title } = engineOf(tile)
  const form = useForm({ name: '', host: '', port: String(port) }, (values) => ({
    name: whyNot.databaseName(values.name),
    host: whyNot.host(values.host),
    port: whyNot.port(values.port),
  }))
  const [way, setWay] = useState<Way>('proxy')
  const [typed, setTyped] = useState<string[]>([])
  const [tried, setTried] = useState(false)
  const isUnlabelled = way === 'agent' && typed.length === 0
  const problem = whyNotLabels(typed) ?? (tried && isUnlabelled ? 'Enter a label by which the agent knows it' : undefined)
  const save = useAction(async ({ name, host, port: chosen }: Record<'name' | 'host' | 'port', string>) => {
    const labels = labelsOf(typed)
    await request(createDatabase, { params: { clusterId }, body: { name, protocol, uri: `${host}:${chosen}`, labels } })
    if (way === 'proxy') return go('tls', name)
    // One that is there already may do.
    const { items } = await request(databaseServices, { params: { clusterId }, query: {} })
    go(items.some((service) => covers(toDatabaseService(service).matcherLabels, labels)) ? 'tls' : 'deploy', name)
  })
  const isTaken = save.error instanceof ApiError && save.error.status === 409
  const { name } = form.values
  return (
    <form
      className={styles['column']}
      onSubmit={(event) => {
        setTried(true)
        form.submit((values) => {
          if (whyNotLabels(typed) === undefined && !isUnlabelled) save.start(values)
        })(event)
      }}
    >
      <FocusedHeading>Register the database</FocusedHeading>
      <p className={styles['lead']}>Where {title} listens, and what people are to call it. No password of it is kept.</p>
      <section className={styles['fields']}>
        <TextField label="Name" mono placeholder="orders" autoComplete="off" {...form.field('name')} />
        <div className={styles['endpoint']}>
          <TextField label="Endpoint" mono placeholder="db.example.com" autoComplete="off" {...form.field('host')} />
          <TextField label="Port" mono inputMode="numeric" autoComplete="off" {...form.field('port')} />
        </div>
        <RadioGroup label="Who reaches it" options={ways} value={way} onValue={setWay} />
        <TagsField
          label="Labels"
          aside={way === 'agent' ? undefined : <span className="muted sm">optional</span>}
          placeholder="env=prod"
          commas
          values={typed}
          error={problem}
          help="Roles decide by labels who may reach the database."
          onValues={setTyped}
        />
      </section>
      {save.error && (
        <Alert
          kind="danger"
          title="The database was not registered."
          action={
            isTaken && (
              <Button size={24} onClick={() => go(way === 'agent' ? 'deploy' : 'tls', name)}>
                Use the existing one
              </Button>
            )
          }
        >
          {save.error.message}
        </Alert>
      )}
      <StepButtons next="Register" submit busy={save.busy} onNext={() => undefined} onBack={back} />
    </form>
  )
}
