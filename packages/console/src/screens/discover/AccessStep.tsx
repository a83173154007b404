import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read as readUser, update as updateUser } from '@sallyport/wire/calls/users.ts'
import { renew } from '@sallyport/wire/calls/session.ts'
import type { TraitName, UserWire } from '@sallyport/wire/entities/user.ts'
import { bootQuery } from '../../api/boot.ts'
import { request, session } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { Gone } from './Gone.tsx'
import { kinds } from './kinds.ts'
import type { Enrolled, KindOfResource, TraitField } from './kinds.ts'
import { StepButtons } from './StepButtons.tsx'
import type { Tile } from './tiles.ts'
import type { Progress } from './use-address.ts'
import { useEnrolled } from './use-join.ts'
import styles from './Discover.module.css'

/** Who the viewer may be in what was enrolled. */
export function AccessStep({ tile, name, progress }: { tile: Tile; name: string; progress: Progress }) {
  const clusterId = useClusterId()
  const { authType, acl, username } = useUserContext()
  const mayEdit = authType === 'local' && acl.users.edit && acl.users.read
  const kind = kinds[tile.kind]
  const enrolled = useEnrolled(clusterId, tile.kind, name)
  const user = useQuery({ ...callQuery(readUser, { params: { name: username } }), enabled: mayEdit, staleTime: 0 })
  if (enrolled.data === null) return <Gone kind={tile.kind} progress={progress} />
  const error = enrolled.error ?? (mayEdit ? user.error : null)
  return (
    <div className={styles['column']}>
      <FocusedHeading>Set up access</FocusedHeading>
      <p className={styles['lead']}>
        Who you may be on <span className="strong">{enrolled.data?.title ?? `the ${kind.noun}`}</span>: {kind.who}
      </p>
      {error && (
        <LoadError
          title="Your access could not be read."
          error={error}
          onRetry={() => {
            if (enrolled.error) void enrolled.refetch()
            if (user.error) void user.refetch()
          }}
        />
      )}
      {enrolled.data && mayEdit && user.data && <EditTraits kind={kind} enrolled={enrolled.data} user={user.data} progress={progress} />}
      {enrolled.data && !mayEdit && <ShownTraits kind={kind} enrolled={enrolled.data} progress={progress} />}
      {!error && (!enrolled.data || (mayEdit && !user.data)) && <Skeleton />}
    </div>
  )
}

interface PartProps {
  kind: KindOfResource
  enrolled: Enrolled
  progress: Progress
}
type Traits = Partial<Record<TraitName, string[]>>

function EditTraits({ kind, enrolled, user, progress: { go, next, back, steps } }: PartProps & { user: UserWire }) {
  const clusterId = useClusterId()
  const before = (trait: TraitName): string[] => user.traits?.[trait] ?? []
  const fixedOf = (trait: TraitName) => (enrolled.principals[trait] ?? []).filter((value) => !before(trait).includes(value))
  const [traits, setTraits] = useState<Traits>(() => Object.fromEntries(kind.traits.map(({ trait }) => [trait, before(trait)])))
  const own = (trait: TraitName): string[] => traits[trait] ?? []
  const problemOf = ({ trait, whyNot }: TraitField) =>
    own(trait)
      .map((value) => whyNot?.(value))
      .find((why) => why !== undefined)
  const isChanged = kind.traits.some(({ trait }) => own(trait).join('\n') !== before(trait).join('\n'))
  const save = useAction(async () => {
    if (isChanged) {
      await request(updateUser, { body: { name: user.name, roles: user.roles, traits } })
      // The session learns of the change; what the console knows follows.
      session.save(await request(renew, { body: { reloadUser: true } }))
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['discover.enrolled', clusterId] }),
        queryClient.invalidateQueries({ queryKey: [readUser.id] }),
        queryClient.invalidateQueries({ queryKey: bootQuery.queryKey }),
      ])
    }
    next()
  })
  const missing = kind.traits.find(({ trait, missing: what }) => what !== undefined && fixedOf(trait).length + own(trait).length === 0)
  const isGood = kind.traits.every((field) => problemOf(field) === undefined)
  const isTested = steps.includes('test')
  return (
    <>
      {kind.traits.map((field) => (
        <section key={field.trait} className={styles['part']}>
          <Fixed field={field} values={fixedOf(field.trait)} />
          <TagsField
            label={field.label}
            placeholder={field.placeholder}
            values={own(field.trait)}
            error={problemOf(field)}
            help="They count in every role that lets people use their own."
            onValues={(values) => setTraits((now) => ({ ...now, [field.trait]: values }))}
          />
        </section>
      ))}
      {save.error && (
        <Alert kind="danger" title="Your access was not saved.">
          {save.error.message}
        </Alert>
      )}
      <StepButtons
        next={isTested ? (isChanged ? 'Save and test' : 'Next: test connection') : isChanged ? 'Save and finish' : 'Finish'}
        busy={save.busy}
        onNext={isGood && !missing ? () => save.start() : undefined}
        // Before it other kinds have the command, which has done its work.
        onBack={steps.includes('tls') ? back : undefined}
        onSkip={missing ? () => go('finish') : undefined}
        note={missing?.missing}
      />
    </>
  )
}

function ShownTraits({ kind, enrolled, progress: { go, next, back, steps } }: PartProps) {
  const { authType } = useUserContext()
  const has = kind.traits.every(({ trait, missing }) => missing === undefined || (enrolled.principals[trait] ?? []).length > 0)
  const why =
    authType === 'sso'
      ? 'Your identity provider sets who you are: its connector maps it from what it says about you.'
      : has
        ? 'You may not change this. Ask for more, or for the right user: update.'
        : 'No role lets you in here. Ask an administrator for a rule such as this one:'
  return (
    <>
      {kind.traits.map((field) => (
        <Fixed key={field.trait} field={field} values={enrolled.principals[field.trait] ?? []} />
      ))}
      <Alert kind="info" live={false}>
        {why}
      </Alert>
      {!has && <CodeBlock text={kind.ruleExample} copyLabel="Copy rule" />}
      <StepButtons
        next={steps.includes('test') ? 'Next: test connection' : 'Finish'}
        onNext={has ? () => next() : undefined}
        onBack={steps.includes('tls') ? back : undefined}
        onSkip={has ? undefined : () => go('finish')}
      />
    </>
  )
}

/** What roles give, which nobody changes here. */
function Fixed({ field: { trait, fixed }, values }: { field: TraitField; values: readonly string[] }) {
  if (values.length === 0) return null
  return (
    <div className={styles['fixed']}>
      <h2 id={`fixed-${trait}`}>{fixed}</h2>
      <ul className={styles['logins']} aria-labelledby={`fixed-${trait}`}>
        {values.map((value) => (
          <li key={value} className="mono">
            {value}
          </li>
        ))}
      </ul>
    </div>
  )
}
