import { useMemo, useState } from 'react'
import type { FormEvent } from 'react'
import { create, update } from '@sallyport/wire/calls/users.ts'
import type { UserDetails } from '@sallyport/wire/entities/user.ts'
import { request } from '../../api/page.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { Made } from '../../parts/made/Made.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useBlock } from '../../parts/use-block.ts'
import { roleSet, username } from '../../parts/validators/people.ts'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toasts } from '../../ui/toast.ts'
import { makeLink } from './links.ts'
import type { AccountLink } from './links.ts'
import { RolePicker } from './RolePicker.tsx'
import { Lifetime, ShareLink } from './ShareLink.tsx'
import { changesOf, customKeys, namedTraits, rowProblems, rowsOf, traitsOf } from './traits.ts'
import type { Change, Traits } from './traits.ts'
import { TraitsEditor } from './TraitsEditor.tsx'
import styles from './Users.module.css'

export interface UserFormProps {
  /** Who is edited; undefined for somebody new. */
  user: UserDetails | undefined
  /** Names that are taken, and roles that somebody holds. */
  names: ReadonlySet<string>
  held: readonly string[]
  mayLink: boolean
  onSaved: () => Promise<void>
  onClose: () => void
}

const traitsBody = (traits: Traits, anyTrait: boolean) =>
  anyTrait
    ? { allTraits: Object.fromEntries(Object.entries(traits).map(([key, values]) => [key, [...values]])) }
    : { traits: namedTraits(traits) }

/** Makes a user and shows the link of their invite, or changes one. */
export function UserForm({ user, names, held, mayLink, onSaved, onClose }: UserFormProps) {
  const [name, setName] = useState(user?.name ?? '')
  const [roles, setRoles] = useState<readonly string[]>(user?.roles ?? [])
  const [rows, setRows] = useState(() => rowsOf(user?.traits ?? {}))
  const [hours, setHours] = useState(1)
  const [checked, setChecked] = useState(false)
  const [made, setMade] = useState<{ name: string; link: AccountLink | undefined }>()

  const traits = traitsOf(rows)
  const changes = useMemo(() => (user ? changesOf(user, { roles, traits: traitsOf(rows) }) : []), [user, roles, rows])
  const isDirty = user
    ? changes.length > 0 || rows.some(({ key, values }) => key === '' && values.length > 0)
    : name !== '' || rows.length > 0
  const problems = {
    name: user ? undefined : username(name, names),
    roles: roleSet(roles),
    rows: rowProblems(rows),
  }
  const block = useBlock(isDirty && !made, user ? 'Your changes to this user' : 'The new user')

  const link = useAction(async (who: string) => {
    setMade({ name: who, link: await makeLink(who, 'invite', hours) })
  })
  const save = useAction(async () => {
    if (user) {
      await request(update, { body: { name: user.name, roles: [...roles], ...traitsBody(traits, user.anyTrait) } })
      await onSaved()
      toasts.show({ title: 'User saved', body: user.name })
      block.leave(onClose)
      return
    }
    await request(create, { body: { name, roles: [...roles], ...traitsBody(traits, customKeys(traits).length > 0) } })
    setMade({ name, link: undefined })
    await onSaved()
    if (mayLink) link.start(name)
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setChecked(true)
    const wrong = problems.name ? 'name' : problems.roles ? 'roles' : undefined
    const [badRow] = problems.rows.keys()
    const control = wrong
      ? event.currentTarget.elements.namedItem(wrong)
      : event.currentTarget.querySelector(`[data-trait="${badRow}"] ${problems.rows.get(badRow ?? 0)?.key ? 'input' : 'div + div input'}`)
    if (control instanceof HTMLElement) return control.focus()
    if (wrong === undefined && badRow === undefined) save.start()
  }
  const close = (): void => {
    if (save.busy) return
    if (!isDirty || made) return onClose()
    confirm({
      title: user ? `Discard changes to ${user.name}?` : 'Discard the new user?',
      body: 'What you entered is lost.',
      action: 'Discard',
      run: () => block.leave(onClose),
    })
  }

  if (made)
    return (
      <Made panel title={`User ${made.name} created`} onClose={onClose}>
        {made.link ? (
          <ShareLink name={made.name} link={made.link} />
        ) : link.error ? (
          <FocusedAlert
            kind="danger"
            title="The user was created, but no link could be made."
            action={<Button onClick={() => link.start(made.name)}>Make link</Button>}
          >
            {link.error.message}
          </FocusedAlert>
        ) : (
          <p className="t2">{mayLink ? 'Making the link…' : 'Somebody with the right user: update makes the link of their invite.'}</p>
        )}
      </Made>
    )
  const formId = 'user-form'
  return (
    <SidePanel
      open
      width={560}
      title={user ? `Edit ${user.name}` : 'Create user'}
      onClose={close}
      footer={
        <>
          <Button kind="primary" type="submit" form={formId} busy={save.busy} disabled={user !== undefined && !isDirty}>
            {user ? 'Save user' : 'Create user'}
          </Button>
          <Button disabled={save.busy} onClick={close}>
            Cancel
          </Button>
        </>
      }
    >
      <form id={formId} className={styles['form']} noValidate onSubmit={submit}>
        {save.error && (
          <FocusedAlert key={save.error.message} kind="danger" title={user ? 'Could not save the user.' : 'Could not create the user.'}>
            {save.error.message}
          </FocusedAlert>
        )}
        <TextField
          label="Username"
          name="name"
          required
          mono
          readOnly={user !== undefined}
          disabled={save.busy}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-1p-ignore=""
          value={name}
          error={checked ? problems.name : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <RolePicker
          values={roles}
          onValues={setRoles}
          held={held}
          required
          disabled={save.busy}
          error={checked ? problems.roles : undefined}
        />
        {!user && mayLink && <Lifetime type="invite" hours={hours} onHours={setHours} disabled={save.busy} />}
        <TraitsEditor rows={rows} onRows={setRows} problems={checked ? problems.rows : new Map()} disabled={save.busy} />
        {changes.length > 0 && <Changes changes={changes} />}
      </form>
    </SidePanel>
  )
}

function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <section className="col" aria-labelledby="changes-title">
      <h3 id="changes-title">What changes</h3>
      <dl className={styles['changes']}>
        {changes.map(({ what, added, removed }) => (
          <div key={what} style={{ display: 'contents' }}>
            <dt>{what}</dt>
            <dd>
              {added.map((value) => (
                <span key={`+${value}`} className={styles['added']}>
                  + {value}
                </span>
              ))}
              {removed.map((value) => (
                <span key={`-${value}`} className={styles['removed']}>
                  − {value}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
