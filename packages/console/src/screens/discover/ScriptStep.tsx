import { useState } from 'react'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { labelsOf } from '../../parts/typed-labels.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { labels as whyNotLabels } from '../../parts/validators/labels.ts'
import { TagsField } from '../../ui/TagsField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { commandOf } from './command.ts'
import { CommandPart } from './CommandPart.tsx'
import { JoinWatch } from './JoinWatch.tsx'
import { finders } from './find-enrolled.ts'
import { kinds } from './kinds.ts'
import { scriptForms } from './script-forms.ts'
import { StepButtons } from './StepButtons.tsx'
import type { Tile } from './tiles.ts'
import type { Progress } from './use-address.ts'
import { useJoined, useJoinToken } from './use-join.ts'
import { forgetWaiting } from './waiting.ts'
import styles from './Discover.module.css'

/** The command to run on a machine, and the wait for what it adds. */
export function ScriptStep({ tile, progress: { next, back, steps } }: { tile: Tile; progress: Progress }) {
  const clusterId = useClusterId()
  const { noun, role } = kinds[tile.kind]
  const form = scriptForms(tile)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [left, setLeft] = useState<readonly string[]>([])
  const [typed, setTyped] = useState<string[]>([])
  const [labels, setLabels] = useState(() => labelsOf(typed))
  const token = useJoinToken({ role, labels })
  const joined = useJoined(clusterId, tile.kind, finders[tile.kind])
  const query = Object.fromEntries(form.fields.map(({ name }) => [name, (values[name] ?? '').trim()]))
  const isWhole = form.fields.every(({ name, whyNot }) => whyNot(query[name] ?? '') === undefined)
  return (
    <div className={styles['column']}>
      <FocusedHeading>{form.title}</FocusedHeading>
      <p className={styles['lead']}>{form.lead(clusterId)}</p>
      {form.fields.length > 0 && (
        <section className={styles['fields']}>
          {form.fields.map(({ name, label, placeholder, help, whyNot }) => (
            <TextField
              key={name}
              label={label}
              mono
              placeholder={placeholder}
              help={help}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={values[name] ?? ''}
              error={left.includes(name) ? whyNot(query[name] ?? '') : undefined}
              onChange={({ target }) => setValues((now) => ({ ...now, [name]: target.value }))}
              onBlur={() => values[name] !== undefined && setLeft([...left, name])}
            />
          ))}
        </section>
      )}
      <section className={styles['part']}>
        <TagsField
          label="Labels"
          aside={<span className="muted sm">optional</span>}
          placeholder="env=prod"
          commas
          values={typed}
          error={whyNotLabels(typed)}
          help={`Roles decide by labels who may reach the ${noun}. A change makes a new command.`}
          onValues={(changed) => {
            setTyped(changed)
            if (whyNotLabels(changed) === undefined) setLabels(labelsOf(changed))
          }}
        />
      </section>
      <CommandPart
        token={token}
        missing={form.missing}
        commandOf={(given) => (isWhole ? commandOf({ ...given, script: tile.script, query }) : undefined)}
      />
      {!token.error && (
        <JoinWatch
          joined={joined}
          noun={noun}
          become={`It is ${noun === 'application' ? 'an' : 'a'} ${noun} of the cluster now.`}
          script={tile.script}
        />
      )}
      <StepButtons
        next={steps.includes('access') ? 'Next: set up access' : 'Finish'}
        note={joined ? undefined : `${steps.includes('access') ? 'Next' : 'Finish'} is available once the ${noun} has joined.`}
        onNext={
          joined &&
          (() => {
            forgetWaiting()
            next(joined.id)
          })
        }
        onBack={back}
      />
    </div>
  )
}
