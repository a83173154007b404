import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { clusters } from '@sallyport/wire/calls/clusters.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { toNode } from '@sallyport/wire/entities/node.ts'
import { CornerDownLeft } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { callQuery } from '../../api/queries.ts'
import { request } from '../../api/page.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { recentTargets, rememberLogin } from '../../parts/list/recent-logins.ts'
import { parseServerQuest, parseSshTarget, serverFilter } from '../../parts/ssh-target.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { isPlainClick, ServerRow } from './ServerRow.tsx'
import { targetPath, type SessionTarget } from './session-address.ts'
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
  /** The login that was typed before words that find the servers: each row then offers it. */
  const [login, setLogin] = useState<string>()
  const [recent] = useState(() => recentTargets(clusterId, 10))
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
            ...(asked ? serverFilter(asked) : {}),
            ...(pageParam ? { startKey: pageParam } : {}),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ startKey }) => startKey || undefined,
    throwOnError: false,
  })
  const rows = (list.data?.pages ?? []).flatMap(({ items }) => items.map((wire) => toNode(wire, clusterId)))
  const names = (others.data ?? []).map(({ name }) => name)
  const open = (target: SessionTarget, host?: string) => {
    if (target.kind === 'new')
      rememberLogin({ clusterId, serverId: target.serverId, login: target.login, ...(host === undefined ? {} : { host }) })
    onOpen(target)
  }
  const connect = (event: FormEvent) => {
    event.preventDefault()
    const quest = parseServerQuest(typed)
    const target = quest ? undefined : parseSshTarget(typed)
    setWrong((target ?? quest) ? undefined : 'Write a login, @ and a host or words that find it: root@web-1')
    if (target) open({ kind: 'new', clusterId, ...target })
    if (!quest) return
    setLogin(quest.login)
    setSearch(quest.wanted)
    setAsked(quest.wanted)
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
            placeholder="login@host, or login@words"
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
      {recent.length > 0 && (
        <p className={styles['recent']}>
          <span className="muted sm">Recent</span>
          {recent.map(({ name, serverId, login: used, host }) => (
            <a
              key={name}
              className={`${buttonClass({ size: 24, kind: 'quiet' })} mono`}
              href={targetPath({ kind: 'new', clusterId, serverId, login: used })}
              onClick={(event) => {
                if (!isPlainClick(event)) return
                event.preventDefault()
                open({ kind: 'new', clusterId, serverId, login: used }, host)
              }}
            >
              {name}
            </a>
          ))}
        </p>
      )}
      {list.isError && <LoadError title="Could not load the servers." error={list.error} onRetry={() => void list.refetch()} />}
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
              <ServerRow key={node.id} node={node} first={login} onOpen={(target) => open(target, node.hostname)} />
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
