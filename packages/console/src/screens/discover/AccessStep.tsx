import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read as readUser, update as updateUser } from '@sallyport/wire/calls/users.ts'
import { renew } from '@sallyport/wire/calls/session.ts'
import type { Node } from '@sallyport/wire/entities/node.ts'
import type { UserWire } from '@sallyport/wire/entities/user.ts'
import { bootQuery } from '../../api/boot.ts'
import { request, session } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useClusterId } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { whyNotLogin } from '../../parts/ssh-target.ts'
import { Alert } from '../../ui/Alert.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { ServerGone } from './ServerGone.tsx'
import { StepButtons } from './StepButtons.tsx'
import type { Progress } from './use-address.ts'
import { useServer } from './use-join.ts'
import styles from './Discover.module.css'

const roleExample = (logins: string): string => `allow:\n  logins: [${logins}]\n  node_labels:\n    '*': '*'`

/** The logins with which the viewer may enter the server. */
export function AccessStep({ server, progress }: { server: string; progress: Progress }) {
  const clusterId = useClusterId()
  const { authType, acl, username } = useUserContext()
  const mayEdit = authType === 'local' && acl.users.edit && acl.users.read
  const node = useServer(clusterId, server)
  const user = useQuery({ ...callQuery(readUser, { params: { name: username } }), enabled: mayEdit, staleTime: 0 })
  if (node.data === null) return <ServerGone progress={progress} />
  const error = node.error ?? (mayEdit ? user.error : null)
  return (
    <div className={styles['column']}>
      <FocusedHeading>Set up access</FocusedHeading>
      <p className={styles['lead']}>
        Who you may be on <span className="strong">{node.data?.hostname ?? 'the server'}</span>: system users that exist there.
      </p>
      {error && (
        <Alert kind="danger" title="Your logins could not be read.">
          {error.message}
        </Alert>
      )}
      {node.data && mayEdit && user.data && <EditLogins node={node.data} user={user.data} progress={progress} />}
      {node.data && !mayEdit && <ShownLogins node={node.data} progress={progress} />}
      {!error && (!node.data || (mayEdit && !user.data)) && <Skeleton />}
    </div>
  )
}

function EditLogins({ node, user, progress: { go } }: { node: Node; user: UserWire; progress: Progress }) {
  const clusterId = useClusterId()
  const before = user.traits?.logins ?? []
  const fixed = node.sshLogins.filter((login) => !before.includes(login))
  const [logins, setLogins] = useState<string[]>(before)
  const problem = logins.map(whyNotLogin).find((why) => why !== undefined)
  const isChanged = logins.join('\n') !== before.join('\n')
  const save = useAction(async () => {
    if (isChanged) {
      await request(updateUser, { body: { name: user.name, roles: user.roles, traits: { logins } } })
      // The session learns of the change; what the console knows follows.
      session.save(await request(renew, { body: { reloadUser: true } }))
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['discover.server', clusterId] }),
        queryClient.invalidateQueries({ queryKey: [readUser.id] }),
        queryClient.invalidateQueries({ queryKey: bootQuery.queryKey }),
      ])
    }
    go('test')
  })
  const has = fixed.length + logins.length > 0
  return (
    <>
      {fixed.length > 0 && (
        <section className={styles['part']} aria-labelledby="fixed">
          <h2 id="fixed">From your roles</h2>
          <LoginList logins={fixed} />
        </section>
      )}
      <section className={styles['part']}>
        <TagsField
          label="Your own logins"
          placeholder="ubuntu"
          values={logins}
          error={problem}
          help="They count wherever one of your roles takes the logins of its holder."
          onValues={setLogins}
        />
      </section>
      {save.error && (
        <Alert kind="danger" title="Your logins were not saved.">
          {save.error.message}
        </Alert>
      )}
      <StepButtons
        next={isChanged ? 'Save and test' : 'Next: test connection'}
        busy={save.busy}
        onNext={problem === undefined && has ? () => save.start() : undefined}
        onSkip={has ? undefined : () => go('finish')}
        note={has ? undefined : 'Add at least one login.'}
      />
    </>
  )
}

function ShownLogins({ node, progress: { go } }: { node: Node; progress: Progress }) {
  const { authType } = useUserContext()
  const has = node.sshLogins.length > 0
  const why =
    authType === 'sso'
      ? 'Your identity provider sets your logins: its connector maps them from what it says about you.'
      : has
        ? 'You may not change them. Ask for more, or for the right user: update.'
        : 'No role gives you a login here. Ask an administrator for a rule such as this one:'
  return (
    <>
      {has && (
        <section className={styles['part']} aria-labelledby="logins">
          <h2 id="logins">Your logins</h2>
          <LoginList logins={node.sshLogins} />
        </section>
      )}
      <Alert kind="info" live={false}>
        {why}
      </Alert>
      {!has && <CodeBlock text={roleExample('ubuntu')} copyLabel="Copy rule" />}
      <StepButtons next="Next: test connection" onNext={has ? () => go('test') : undefined} onSkip={has ? undefined : () => go('finish')} />
    </>
  )
}

function LoginList({ logins }: { logins: readonly string[] }) {
  return (
    <ul className={styles['logins']}>
      {logins.map((login) => (
        <li key={login} className="mono">
          {login}
        </li>
      ))}
    </ul>
  )
}
