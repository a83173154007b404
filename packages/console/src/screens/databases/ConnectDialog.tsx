import { useState } from 'react'
import type { Database } from '@sallyport/wire/entities/database.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { shellQuoted } from '../../parts/shell-quoted.ts'
import { useClusterFlag } from '../../parts/use-cluster-flag.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { required } from '../../parts/validators/sign-in.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Dialog, DialogForm } from '../../ui/Dialog.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { SuggestField } from '../../ui/SuggestField.tsx'
import { readLogin, rememberLogin } from './recent-database-logins.ts'

const ways = [
  { value: 'browser', label: 'In the browser' },
  { value: 'machine', label: 'From your machine' },
] as const
type Way = (typeof ways)[number]['value']

/** Values that can be taken as they are: patterns of roles are for typing. */
const plain = (values: readonly string[]): string[] => values.filter((value) => !/[*^]/.test(value))

/** As whom, where, and with what. */
export function ConnectDialog({ database, onClose }: { database: Database; onClose: () => void }) {
  const clusterId = useClusterId()
  const { username } = useUserContext()
  const [way, setWay] = useState<Way>('browser')
  const last = readLogin(clusterId, database.name)
  const users = plain(database.users)
  const names = plain(database.names)
  const [user, setUser] = useState(last?.user ?? (users.length === 1 ? (users[0] ?? '') : ''))
  const [name, setName] = useState(last?.name ?? (names.length === 1 ? (names[0] ?? '') : ''))
  const [tried, setTried] = useState(false)
  const none = database.users.length === 0 || database.names.length === 0
  const isReady = user.trim() !== '' && name.trim() !== ''
  const open = () => {
    setTried(true)
    if (!isReady) return
    const login = { user: user.trim(), name: name.trim() }
    rememberLogin(clusterId, database.name, login)
    window.open(routePath('consoleDatabase', { clusterId, database: database.name }) + formatSearch(login), '_blank', 'noopener')
    onClose()
  }
  const fields = (
    <>
      {none && (
        <Alert kind="warn" title="Your roles allow no user or no name of this database." live={false}>
          Ask for db_users and db_names in a role, or for the traits databaseUsers and databaseNames.
        </Alert>
      )}
      <SuggestField
        label="Database user"
        value={user}
        suggestions={users}
        onValue={setUser}
        error={tried ? required(user, 'a database user', 'Choose') : undefined}
      />
      <SuggestField
        label="Database name"
        value={name}
        suggestions={names}
        onValue={setName}
        error={tried ? required(name, 'a database name', 'Choose') : undefined}
      />
    </>
  )
  return (
    <Dialog open bare onClose={onClose} title={`Connect to ${database.name}`} width={600}>
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault()
          if (way === 'browser') open()
        }}
        footer={
          way === 'browser' ? (
            <>
              <Button type="submit" kind="primary">
                Open SQL console
              </Button>
              <Button onClick={onClose}>Cancel</Button>
            </>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )
        }
      >
        <Segmented fill label="How" segments={ways} value={way} onValue={setWay} />
        {fields}
        {way === 'machine' && <Commands username={username} database={database} user={user.trim()} name={name.trim()} />}
      </DialogForm>
    </Dialog>
  )
}

/** Its own client, and a port beside the one that a server here may have. */
const clients: Readonly<Record<string, { program: string; port: number }>> = {
  postgres: { program: 'psql', port: 5433 },
  mysql: { program: 'mariadb', port: 3307 },
}

function Commands({ username, database, user, name }: { username: string; database: Database; user: string; name: string }) {
  const { program, port } = clients[database.protocol] ?? { program: 'its client', port: 5433 }
  const flag = useClusterFlag()
  const login = `--db-user ${shellQuoted(user || 'USER')} --db-name ${shellQuoted(name || 'NAME')}`
  return (
    <>
      <p className="t2">Sign in on your machine; the certificate is good for some hours.</p>
      <CodeBlock text={`sallyport login --proxy ${window.location.host} --user ${shellQuoted(username)}`} copyLabel="Copy sign-in" />
      <p className="t2">{program === 'mariadb' ? 'Run mariadb, or mysql where that is installed:' : `Run ${program}:`}</p>
      <CodeBlock text={`sallyport db connect ${database.name} ${login}${flag}`} copyLabel={`Copy ${program} command`} />
      <p className="t2">Or listen on this machine for any other client, which needs no password then:</p>
      <CodeBlock text={`sallyport proxy db ${database.name} ${login}${flag} --port ${port}`} copyLabel="Copy tunnel command" />
    </>
  )
}
