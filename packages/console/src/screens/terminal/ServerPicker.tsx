import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { clusters } from '@sallyport/wire/calls/clusters.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import { CornerDownLeft } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { callQuery } from '../../api/queries.ts'
import { request } from '../../api/page.ts'
import { parseSshTarget } from '../../parts/ssh-target.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { ServerRow } from './ServerRow.tsx'
import type { SessionTarget } from './session-address.ts'
import styles from './picker.module.css'

const pageSize = 50

/** Chooses what to open: any login on any host by typing, or one of the servers that the viewer may use. */
export function ServerPicker({
  clusterId,
  onOpen,
  onCluster,
}: {
  clusterId: string
  onOpen: (target: SessionTarget) => void
  onCluster: (clusterId: string) => void
}) {
  const [typed, setTyped] = useState('')
  const quick = useRef<HTMLInputElement>(null)
  useEffect(() => quick.current?.focus(), [])
  const [wrong, setWrong] = useState<string>()
  const [search, setSearch] = useState('')
  const [asked, setAsked] = useState('')
  const others = useQuery({ ...callQuery(clusters), throwOnError: false })
  const list = useInfiniteQuery({
    queryKey: [nodes.id, 'picker', clusterId, asked],
    queryFn: ({ pageParam, signal }) =>
      request(
        nodes,
        {
          params: { clusterId },
          query: {
            limit: pageSize,
            sort: 'hostname:asc',
            ...(asked ? { search: asked } : {}),
            ...(pageParam ? { startKey: pageParam } : {}),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ startKey }) => startKey || undefined,
    throwOnError: false,
  })
  const rows = (list.data?.pages ?? []).flatMap(({ items }) => items.map(toNode))
  const names = (others.data ?? []).map(({ name }) => name)
  const connect = (event: FormEvent) => {
    event.preventDefault()
    const target = parseSshTarget(typed)
    setWrong(target ? undefined : 'Write a login, @ and a host: root@web-1 or root@web-1:22')
    if (target) onOpen({ kind: 'new', clusterId, ...target })
  }
  return (
    <div className={styles['picker']}>
      <h1>Select a server</h1>
      <div className={styles['tools']}>
        {names.length > 1 && (
          <Select label="Cluster" value={clusterId} options={names.map((name) => ({ value: name, label: name }))} onValue={onCluster} />
        )}
        <form className={styles['quick']} onSubmit={connect}>
          <TextField
            label="Quick connect"
            mono
            ref={quick}
            placeholder="login@host"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            error={wrong}
            end={<Button type="submit" kind="quiet" size={24} square icon={CornerDownLeft} aria-label="Connect" />}
            onChange={(event) => setTyped(event.target.value)}
          />
        </form>
        <SearchField className={styles['search']} label="Search servers" value={search} onValue={setSearch} onSubmit={setAsked} />
      </div>
      {list.isError && (
        <Alert
          kind="danger"
          title="Could not load the servers."
          action={
            <Button size={24} onClick={() => void list.refetch()}>
              Retry
            </Button>
          }
        >
          {list.error.message}
        </Alert>
      )}
      {list.isPending && <Spinner delay="short" label="Loading servers" showLabel />}
      {list.isSuccess && rows.length === 0 && (
        <EmptyState plain title={asked ? 'Nothing matches' : 'No servers here'}>
          {asked
            ? `No server of “${clusterId}” matches “${asked}”.`
            : `Either “${clusterId}” has none or your roles do not let you see them.`}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col" className="hide-s">
                Address
              </th>
              <th scope="col" className="hide-s">
                Labels
              </th>
              <th scope="col">Connect as</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((node) => (
              <ServerRow key={node.id} node={node} onOpen={onOpen} />
            ))}
          </tbody>
        </table>
      )}
      {list.hasNextPage && (
        <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Load more servers
        </Button>
      )}
    </div>
  )
}
