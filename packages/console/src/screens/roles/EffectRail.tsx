import type { Document } from 'yaml'
import type { AccessEffect } from '@sallyport/wire/entities/access.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { wordsOf } from './role-summary.ts'
import styles from './Roles.module.css'

type Person = AccessEffect['users'][number]
type Item = Person['gains'][number]

const kinds: Record<string, string> = {
  node: 'servers',
  app: 'applications',
  db: 'databases',
  kube_cluster: 'Kubernetes clusters',
  windows_desktop: 'desktops',
}

/** "3 people gain access, 1 loses some." */
export function effectWords(effect: AccessEffect): string {
  const gaining = effect.users.filter(gains).length
  const losing = effect.users.filter(loses).length
  if (gaining + losing === 0) return 'Nobody gains or loses anything by this.'
  const part = (count: number, one: string, many: string) => (count === 0 ? '' : `${count} ${count === 1 ? one : many}`)
  return `${[part(gaining, 'person gains access', 'people gain access'), part(losing, 'person loses some', 'people lose some')].filter(Boolean).join(', ')}.`
}

const gains = (person: Person): boolean => person.gains.length + person.gainsRights.length > 0
const loses = (person: Person): boolean => person.losses.length + person.losesRights.length > 0

/** Who gains and who loses by the document as it stands, and what it says in words. */
export function EffectRail({
  document,
  effect,
  error,
  asked,
  waiting,
}: {
  document: Document
  effect: AccessEffect | undefined
  error: Error | null
  asked: boolean
  waiting: boolean
}) {
  const cannotSave = error instanceof ApiError && error.status === 400
  const words = document.errors.length === 0 ? wordsOf(document) : []
  return (
    <>
      {!asked && (
        <p className="muted">
          {document.errors.length > 0
            ? 'Whom it touches is known when the text is YAML again.'
            : 'Give the role a name to see whom it touches.'}
        </p>
      )}
      {error && asked && (
        <Alert kind="danger" title={cannotSave ? 'It cannot be saved like this.' : 'Whom it touches is not known.'}>
          {error.message}
        </Alert>
      )}
      {!effect && !error && asked && waiting && <Spinner label="Looking at who holds the role" />}
      {effect && !error && <Effect effect={effect} />}
      {words.length > 0 && (
        <section className="col gap1" aria-label="In words">
          <h4>In words</h4>
          <ul className={styles['words']}>
            {words.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Effect({ effect }: { effect: AccessEffect }) {
  const touched = effect.users.filter((person) => gains(person) || loses(person))
  const figures = [...new Set(touched.flatMap((person) => [...person.gains, ...person.losses].map(({ kind }) => kind)))]
  const distinct = (kind: string, which: 'gains' | 'losses') =>
    new Set(touched.flatMap((person) => person[which].filter((item) => item.kind === kind).map(({ name }) => name))).size
  const reach = Object.entries(effect.reaches).filter(([, count]) => count > 0)
  const lost = new Map(touched.flatMap((person) => person.losses.map((item) => [`${item.kind} ${item.name}`, item])))
  return (
    <>
      {figures.length > 0 && (
        <div className={styles['deltas']}>
          {figures.map((kind) => (
            <div key={kind}>
              {distinct(kind, 'gains') > 0 && <b className={styles['up']}>+{distinct(kind, 'gains')}</b>}
              {distinct(kind, 'losses') > 0 && <b className={styles['down']}>−{distinct(kind, 'losses')}</b>}
              <span>{kinds[kind] ?? kind}</span>
            </div>
          ))}
        </div>
      )}
      {touched.length === 0 ? (
        <p className="t2">
          {effect.exists
            ? 'Nobody gains or loses anything by this change.'
            : 'Nobody holds this role yet. It takes effect when somebody is given it.'}
        </p>
      ) : (
        <ul className={styles['people']}>
          {touched.map((person) => (
            <li key={person.name}>
              <PersonLine person={person} />
            </li>
          ))}
        </ul>
      )}
      {effect.truncated && <p className="muted sm">There are more people or resources than were looked at.</p>}
      {reach.length > 0 && (
        <section className="col gap1" aria-label="Reach">
          <h4>Reach</h4>
          <p className="t2">By itself it reaches {reach.map(([kind, count]) => `${count} ${kinds[kind] ?? kind}`).join(', ')}.</p>
        </section>
      )}
      {lost.size > 0 && (
        <section className="col gap1" aria-label="No longer reachable">
          <h4>No longer reachable for somebody</h4>
          <ul className={styles['words']}>
            {[...lost.values()].slice(0, 10).map((item) => (
              <li key={`${item.kind} ${item.name}`}>{titleOf(item)}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const titleOf = ({ title, principals }: Item): string => (principals.length > 0 ? `${title} as ${principals.join(', ')}` : title)
const rightsOf = (rights: Person['gainsRights']): string[] => rights.map(({ resource, verbs }) => `${resource}: ${verbs.join(', ')}`)

/** One person with figures; opened, every single thing. */
function PersonLine({ person }: { person: Person }) {
  const up = [...person.gains.map(titleOf), ...rightsOf(person.gainsRights)]
  const down = [...person.losses.map(titleOf), ...rightsOf(person.losesRights)]
  return (
    <details>
      <summary>
        <Avatar name={person.name} />
        <span className="grow trunc" title={person.name}>
          {person.name}
        </span>
        <span className={styles['figures']}>
          {up.length > 0 && <span className={styles['up']}>+{up.length}</span>}
          {down.length > 0 && <span className={styles['down']}>−{down.length}</span>}
        </span>
      </summary>
      <ul className={styles['items']}>
        {up.map((text) => (
          <li key={text}>
            <span className={styles['up']}>+</span> {text}
          </li>
        ))}
        {down.map((text) => (
          <li key={text}>
            <span className={styles['down']}>−</span> {text}
          </li>
        ))}
        {person.truncated && <li className="muted">and more</li>}
      </ul>
    </details>
  )
}
