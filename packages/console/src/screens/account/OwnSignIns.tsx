import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { endOwn, own } from '@sallyport/wire/calls/sign-ins.ts'
import { toSignIn } from '@sallyport/wire/entities/sign-in.ts'
import { request } from '../../api/page.ts'
import { callQuery, queryClient } from '../../api/queries.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { SignInList } from '../../parts/sign-ins/SignInList.tsx'
import styles from './Account.module.css'

/** Where the viewer is signed in; nothing where the proxy does not tell. */
export function OwnSignIns() {
  const query = useQuery(callQuery(own))
  const signIns = useMemo(() => query.data?.map(toSignIn), [query.data])
  if (isNotFound(query.error)) return null
  return (
    <section id="sign-ins" className={styles['section']} aria-labelledby="sign-ins-title">
      <h2 id="sign-ins-title">Where you are signed in</h2>
      <SignInList
        signIns={signIns}
        error={query.error}
        onRetry={() => void query.refetch()}
        onEnd={async ({ id }) => {
          await request(endOwn, { params: { id } })
          await queryClient.invalidateQueries({ queryKey: [own.id] })
        }}
      />
    </section>
  )
}
