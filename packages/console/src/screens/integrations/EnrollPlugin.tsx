import { useState } from 'react'
import { create, test } from '@sallyport/wire/calls/plugins.ts'
import type { PluginKind } from '@sallyport/wire/entities/plugin.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { request } from '../../api/page.ts'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { pushPath } from '../../parts/navigation.ts'
import { useAction } from '../../parts/use-action.ts'
import { useBlock } from '../../parts/use-block.ts'
import { useForm } from '../../parts/use-form.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { integrationName } from '../../parts/validators/aws.ts'
import { Button } from '../../ui/Button.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toasts } from '../../ui/toast.ts'
import { ConnectionFields, machineField } from './ConnectionFields.tsx'
import {
  blankTexts,
  connectionFacts,
  connectionProblems,
  isGood,
  namedIn,
  nobodyTold,
  settingsOf,
  toldFacts,
  toldProblems,
} from './plugin-draft.ts'
import type { Fact, Told } from './plugin-draft.ts'
import { pluginWords, toastOf } from './plugin-words.ts'
import { Step } from './Step.tsx'
import { tellEnroll } from './tell-use.ts'
import { TestMessage } from './TestMessage.tsx'
import { ToldFields } from './ToldFields.tsx'
import { refreshIntegrations, useIntegrations } from './use-integrations.ts'
import styles from './Integrations.module.css'

/** A service that tells people of access requests, in three steps. */
export function EnrollPlugin({ kind }: { kind: PluginKind }) {
  const { clusterId } = useUserContext().cluster
  const { rows = [] } = useIntegrations()
  const [attempt] = useState(() => crypto.randomUUID())
  const [at, setAt] = useState(1)
  const [told, setTold] = useState(nobodyTold)
  const [checked, setChecked] = useState(false)
  const [isTested, setTested] = useState(false)
  const taken = new Set(rows.flatMap(({ resourceType, name }) => (resourceType === 'plugin' ? [name] : [])))
  const form = useForm({ ...blankTexts, name: taken.has(kind) ? '' : kind }, (texts) => ({
    name: integrationName(texts.name, taken),
    ...connectionProblems(kind, texts, false),
  }))
  const { leave } = useBlock(at > 1 || form.values.secret !== '', 'What you have entered here')
  const words = pluginWords[kind]
  const problems = toldProblems(kind, told)
  const settings = () => settingsOf(kind, form.values, told, false)
  /** Nobody is blamed for what they are just putting right. */
  const changeTold = (next: Told): void => {
    setTold(next)
    setChecked(false)
  }
  const save = useAction(async () => {
    const { name } = form.values
    const plugin = await request(create, { params: { clusterId }, body: { name, settings: settings() } })
    tellEnroll('complete', attempt, kind)
    await refreshIntegrations()
    toasts.show(toastOf(`Plugin ${name} created`, plugin))
    leave(() => pushPath(routePath('integrations')))
  })
  return (
    <>
      <PageHead title={words.title}>
        <Button onClick={() => pushPath(routePath('newIntegration', {}))}>Other integrations</Button>
      </PageHead>
      <p className={styles['lead']}>{words.lead}</p>
      <div className={styles['column']}>
        <Step number={1} title="Connect" done={at > 1}>
          {at === 1 ? (
            <FocusFirst>
              <Guide lines={words.guide} />
              <form
                className={styles['form']}
                noValidate
                onSubmit={form.submit(() => {
                  tellEnroll('start', attempt, kind)
                  setTested(false)
                  setAt(2)
                })}
              >
                <TextField label="Plugin name" help="In this console and its audit log." {...machineField} {...form.field('name')} />
                <ConnectionFields kind={kind} form={form} disabled={false} />
                <Continue />
              </form>
            </FocusFirst>
          ) : (
            <Summary facts={connectionFacts(kind, form.values)} disabled={save.busy} onEdit={() => setAt(1)} />
          )}
        </Step>
        <Step number={2} title="Choose who is told" off={at < 2} done={at > 2}>
          {at === 2 ? (
            <FocusFirst>
              <form
                className={styles['form']}
                noValidate
                onSubmit={(event) => {
                  event.preventDefault()
                  setChecked(true)
                  if (isGood(problems)) setAt(3)
                }}
              >
                <ToldFields kind={kind} told={told} problems={checked ? problems : undefined} disabled={false} onTold={changeTold} />
                <Continue />
              </form>
            </FocusFirst>
          ) : (
            <Summary facts={toldFacts(told)} disabled={save.busy} onEdit={() => setAt(2)} />
          )}
        </Step>
        <Step number={3} title="Test it and finish" off={at < 3}>
          <FocusFirst>
            <TestMessage
              kind={kind}
              recipient={namedIn(told)[0]}
              primary={!isTested}
              send={(recipient) => request(test, { params: { clusterId }, body: { settings: settings(), recipient } })}
              onSent={() => setTested(true)}
            />
          </FocusFirst>
          {save.error && (
            <FocusedAlert key={save.error.message} kind="danger" title="The plugin was not created.">
              {save.error.message}
            </FocusedAlert>
          )}
          <div className={styles['buttons']}>
            <Button kind={isTested ? 'primary' : 'secondary'} busy={save.busy} onClick={() => save.start()}>
              Create plugin
            </Button>
          </div>
        </Step>
      </div>
    </>
  )
}

const Continue = () => (
  <div className={styles['buttons']}>
    <Button kind="primary" type="submit">
      Continue
    </Button>
  </div>
)

/** What a step that is done has come to. */
function Summary({ facts, disabled, onEdit }: { facts: readonly Fact[]; disabled: boolean; onEdit: () => void }) {
  return (
    <div className={styles['summary']}>
      <dl className={styles['facts']}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
      <Button size={24} disabled={disabled} onClick={onEdit}>
        Edit
      </Button>
    </div>
  )
}

/** What to do before: one after the other, when it is more than one thing. */
function Guide({ lines }: { lines: readonly string[] }) {
  if (lines.length === 1) return <p className="t2">{lines}</p>
  return (
    <ol className={styles['guide']}>
      {lines.map((line) => (
        <li key={line}>
          {line.split('`').map((part, index) =>
            index % 2 === 0 ? (
              part
            ) : (
              <span key={part} className="mono">
                {part}
              </span>
            ),
          )}
        </li>
      ))}
    </ol>
  )
}
