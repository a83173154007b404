import { Download } from 'lucide-react'
import { useId, useState } from 'react'
import { create } from '@sallyport/wire/calls/users.ts'
import { request } from '../../api/page.ts'
import { csvOf } from '../../parts/list/csv.ts'
import { MakeOnce } from '../../parts/made/MakeOnce.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { roleSet } from '../../parts/validators/people.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { boxClass, describedBy, Field } from '../../ui/Field.tsx'
import { eachOf, parseNames } from './bulk.ts'
import type { Outcome } from './bulk.ts'
import { makeLink } from './links.ts'
import type { AccountLink } from './links.ts'
import { RolePicker } from './RolePicker.tsx'
import { Lifetime } from './ShareLink.tsx'
import styles from './Users.module.css'

export interface BulkInviteProps {
  names: ReadonlySet<string>
  held: readonly string[]
  onSaved: () => Promise<void>
  onClose: () => void
}

/** Many users with the same roles at once, and the links of their invites. */
export function BulkInvite({ names, held, onSaved, onClose }: BulkInviteProps) {
  const [text, setText] = useState('')
  const [roles, setRoles] = useState<readonly string[]>([])
  const [hours, setHours] = useState(24)
  const [done, setDone] = useState<number>()
  const id = useId()
  const { good, bad } = parseNames(text, names)
  const nameProblem = bad[0] ? `${bad[0].name}: ${bad[0].problem}` : good.length === 0 ? 'Enter a username' : undefined
  const make = async () => {
    setDone(0)
    const outcomes = await eachOf(
      good,
      async (name): Promise<AccountLink> => {
        await request(create, { body: { name, roles: [...roles] } })
        return makeLink(name, 'invite', hours)
      },
      setDone,
    )
    void onSaved()
    return outcomes
  }
  const help = good.length > 0 ? `${good.length} ${good.length === 1 ? 'user' : 'users'}` : 'One a line, or with commas between them'
  return (
    <MakeOnce
      width={700}
      title="Invite several users"
      action={done === undefined ? 'Create users' : `Inviting ${done + 1} of ${good.length}`}
      failed="Could not invite them."
      isReady={nameProblem === undefined && roles.length > 0}
      make={make}
      show={showInvited}
      onClose={onClose}
    >
      {({ busy, checked }) => {
        const texts = { error: checked ? nameProblem : undefined, help }
        return (
          <div className={styles['form']}>
            <Field id={id} label="Usernames" required {...texts}>
              <textarea
                id={id}
                className={`${boxClass({ error: Boolean(texts.error), disabled: busy, multi: true })} ${styles['area']} mono`}
                value={text}
                disabled={busy}
                spellCheck={false}
                autoCapitalize="none"
                aria-invalid={texts.error ? true : undefined}
                aria-describedby={describedBy(id, texts)}
                onChange={(event) => setText(event.target.value)}
              />
            </Field>
            <RolePicker
              label="Roles of each"
              values={roles}
              onValues={setRoles}
              held={held}
              required
              disabled={busy}
              error={checked ? roleSet(roles) : undefined}
            />
            <Lifetime type="invite" hours={hours} onHours={setHours} disabled={busy} />
          </div>
        )
      }}
    </MakeOnce>
  )
}

function showInvited(outcomes: readonly Outcome<AccountLink>[]) {
  const failed = outcomes.filter(({ error }) => error !== undefined).length
  const invited = outcomes.length - failed
  const csv = (): string =>
    csvOf([
      ['user', 'link', 'valid until', 'problem'],
      ...outcomes.map(({ name, value, error }) => [name, value?.address ?? '', value?.expires.toISOString() ?? '', error ?? '']),
    ])
  return {
    title: `${invited} ${invited === 1 ? 'user' : 'users'} invited`,
    actions: (
      <Button icon={Download} onClick={() => saveFile('invites.csv', 'text/csv', csv())}>
        Save links as CSV
      </Button>
    ),
    children: (
      <>
        {failed > 0 && (
          <Alert kind="warn" title={`${failed} could not be invited.`}>
            The reasons stand beside their names.
          </Alert>
        )}
        <table className={styles['links']}>
          <thead>
            <tr>
              <th scope="col">User</th>
              <th scope="col">Link</th>
              <th scope="col">
                <span className="sr">Copy</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {outcomes.map(({ name, value, error }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className={value ? 'mono' : styles['removed']}>{value?.address ?? error}</td>
                <td>{value && <CopyButton text={value.address} label={`Copy link of ${name}`} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </>
    ),
  }
}
