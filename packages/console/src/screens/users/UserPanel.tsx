import { useQuery } from '@tanstack/react-query'
import { Pencil, RotateCcwKey } from 'lucide-react'
import { useMemo } from 'react'
import { endOfUser, ofUser } from '@sallyport/wire/calls/sign-ins.ts'
import { read } from '@sallyport/wire/calls/users.ts'
import { toSignIn } from '@sallyport/wire/entities/sign-in.ts'
import { toUserDetails } from '@sallyport/wire/entities/user.ts'
import type { User } from '@sallyport/wire/entities/user.ts'
import { config, request } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { SignInList } from '../../parts/sign-ins/SignInList.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Fact, FactList } from '../../ui/FactList.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { Inspector } from '../../ui/SidePanel.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useRowActions } from './row-context.ts'
import { PlainRoles, StatusCell } from './UserCells.tsx'
import { typeOf } from './user-filter.ts'
import styles from './Users.module.css'

/** Everything about one user. */
export function UserPanel({ user, onClose }: { user: User; onClose: () => void }) {
  const { acl } = useUserContext()
  const { onEdit, onReset } = useRowActions()
  const query = useQuery(callQuery(read, { params: { name: user.name } }))
  const details = useMemo(() => query.data && toUserDetails(query.data), [query.data])
  const traits = Object.entries(details?.traits ?? {}).toSorted(([a], [b]) => a.localeCompare(b))
  return (
    <Inspector
      open
      onClose={onClose}
      title={
        <>
          <Avatar name={user.name} />
          <span className="trunc">{user.name}</span>
        </>
      }
    >
      {user.isLocal && acl.users.edit && (
        <div className={`row wrap ${styles['section']}`}>
          <Button size={24} icon={Pencil} onClick={() => onEdit(user)}>
            Edit
          </Button>
          <Button size={24} icon={RotateCcwKey} onClick={() => onReset(user)}>
            Reset sign-in
          </Button>
        </div>
      )}
      {query.error && <LoadError title="Could not read this user." error={query.error} onRetry={() => void query.refetch()} />}
      <FactList className={styles['section']}>
        <Fact name="Roles">
          <PlainRoles roles={user.roles} />
        </Fact>
        <Fact name="Type">{typeOf(user)}</Fact>
        {user.state && (
          <Fact name="Status">
            <StatusCell user={user} />
          </Fact>
        )}
        {query.isPending && (
          <Fact name="Created">
            <Skeleton />
          </Fact>
        )}
        {details?.lock && <Fact name="Lock">{details.lock}</Fact>}
        {details?.devices !== undefined && <Fact name="Devices">{details.devices === 0 ? 'none' : details.devices}</Fact>}
        {details?.created && (
          <Fact name="Created">
            <span className="mono">{formatDate(details.created, config.loc.dateTimeFormat)}</span>
            {details.createdBy && <span className="muted"> by {details.createdBy}</span>}
          </Fact>
        )}
        {details?.origin && <Fact name="Origin">{details.origin}</Fact>}
      </FactList>
      <section className={styles['section']} aria-labelledby="user-traits">
        <h3 id="user-traits">Traits</h3>
        {query.isPending && <Skeleton width="60%" />}
        {details && traits.length === 0 && <p className="muted">No traits.</p>}
        <FactList>
          {traits.map(([key, values]) => (
            <Fact key={key} name={<span className="mono">{key}</span>} className={styles['pillsAll']}>
              {values.map((value) => (
                <ValuePill key={value}>{value}</ValuePill>
              ))}
            </Fact>
          ))}
        </FactList>
      </section>
      {acl.users.edit && <UserSignIns name={user.name} />}
    </Inspector>
  )
}

/** Nothing where the proxy does not tell of sign-ins. */
function UserSignIns({ name }: { name: string }) {
  const query = useQuery(callQuery(ofUser, { params: { name } }))
  const signIns = useMemo(() => query.data?.map(toSignIn), [query.data])
  if (isNotFound(query.error)) return null
  return (
    <section className={styles['section']} aria-labelledby="user-sign-ins">
      <h3 id="user-sign-ins">Signed in</h3>
      <SignInList
        signIns={signIns}
        error={query.error}
        onRetry={() => void query.refetch()}
        user={name}
        onEnd={async ({ id }) => {
          await request(endOfUser, { params: { name, id } })
          await queryClient.invalidateQueries({ queryKey: [ofUser.id] })
        }}
      />
    </section>
  )
}
