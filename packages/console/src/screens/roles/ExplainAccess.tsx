import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { resourceKinds, verbs } from '@sallyport/wire/acl.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { explain } from '@sallyport/wire/calls/roles.ts'
import { list as listUsers } from '@sallyport/wire/calls/users.ts'
import type { AccessExplanation } from '@sallyport/wire/entities/access.ts'
import { request } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { useAction } from '../../parts/use-action.ts'
import { useForm } from '../../parts/use-form.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { required } from '../../parts/validators/sign-in.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { Select } from '../../ui/Select.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { TextField } from '../../ui/TextField.tsx'
import styles from './Roles.module.css'

type Kind = (typeof resourceKinds)[number]
type Verb = (typeof verbs)[number]

/** Asks the access checker about one person and one deed, and shows what every role said. */
export function ExplainAccess({ onClose }: { onClose: () => void }) {
  const { acl } = useUserContext()
  const clusterId = useClusterId()
  const [about, setAbout] = useState<'server' | 'right'>('server')
  const [kind, setKind] = useState<Kind>('role')
  const [verb, setVerb] = useState<Verb>('read')
  const [answer, setAnswer] = useState<AccessExplanation>()
  const users = useQuery({ ...callQuery(listUsers), enabled: acl.users.list && acl.users.read })
  const servers = useQuery(callQuery(nodes, { params: { clusterId }, query: { limit: 200, sort: 'hostname:asc' } }))
  const form = useForm({ user: '', server: '', login: '' }, ({ user, server, login }) => ({
    user: required(user, 'a user'),
    server: about === 'server' ? required(server, 'a server') : undefined,
    login: about === 'server' ? required(login, 'a login') : undefined,
  }))
  const { busy, error, start } = useAction(async ({ user, server, login }: { user: string; server: string; login: string }) => {
    setAnswer(undefined)
    const found = servers.data?.items.find((node) => node.hostname === server || node.id === server)
    const question = about === 'server' ? { resource: { kind: 'node', name: found?.id ?? server, login } } : { right: { kind, verb } }
    setAnswer(await request(explain, { body: { user, ...question } }))
  })
  const userOffers = useId()
  const serverOffers = useId()
  return (
    <Dialog open width={600} title="Explain access" busy={busy} onClose={onClose}>
      <form className="col gap3" noValidate onSubmit={form.submit(start)}>
        <div className={styles['question']}>
          <TextField {...form.field('user')} label="User" mono autoComplete="off" data-1p-ignore="" list={userOffers} />
          <Offers id={userOffers} values={users.data?.map(({ name }) => name)} />
          <div className={styles['about']}>
            <Segmented
              label="What about"
              fill
              value={about}
              onValue={setAbout}
              segments={[
                { value: 'server', label: 'A server' },
                { value: 'right', label: 'A right' },
              ]}
            />
          </div>
          {about === 'server' ? (
            <>
              <TextField {...form.field('server')} label="Server" mono autoComplete="off" data-1p-ignore="" list={serverOffers} />
              <Offers id={serverOffers} values={servers.data?.items.map(({ hostname }) => hostname)} />
              <TextField {...form.field('login')} label="Login" mono autoComplete="off" data-1p-ignore="" />
            </>
          ) : (
            <>
              <Select label="Verb" options={verbs.map((one) => ({ value: one, label: one }))} value={verb} onValue={setVerb} />
              <Select label="Resource" options={resourceKinds.map((one) => ({ value: one, label: one }))} value={kind} onValue={setKind} />
            </>
          )}
        </div>
        <div className="row">
          <Button kind="primary" type="submit" busy={busy}>
            Explain
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
      </form>
      {error && (
        <Alert kind="danger" title="Could not ask.">
          {error.message}
        </Alert>
      )}
      {answer && <Answer answer={answer} />}
    </Dialog>
  )
}

const glyphs = { allow: 'ok', deny: 'danger', none: 'off' } as const
const words = { allow: 'allows', deny: 'denies', none: 'says nothing' } as const

function Answer({ answer }: { answer: AccessExplanation }) {
  return (
    <section aria-label="Answer" className="col">
      <Alert kind={answer.allowed ? 'ok' : 'danger'} title={answer.allowed ? 'Allowed.' : 'Denied.'}>
        {answer.reason}
      </Alert>
      {answer.steps.length > 0 && (
        <ol className={styles['answers']} aria-label="What each role said">
          {answer.steps.map((step) => (
            <li key={`${step.role} ${step.part} ${step.detail}`}>
              <StatusGlyph status={glyphs[step.effect]} />
              <span className={styles['step']}>
                <span>
                  <span className="strong">{step.role}</span> {words[step.effect]}{' '}
                  {step.part && <span className="mono sm">{step.part}</span>}
                </span>
                {step.detail && <span className="t2 sm">{step.detail}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Offers({ id, values }: { id: string; values: readonly string[] | undefined }) {
  return (
    <datalist id={id}>
      {values?.map((value) => (
        // oxlint-disable-next-line jsx-a11y/control-has-associated-label -- its value is its label
        <option key={value} value={value} />
      ))}
    </datalist>
  )
}
