import { Select } from '../../ui/Select.tsx'
import { SuggestField } from '../../ui/SuggestField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { plain } from './kinds.ts'
import type { Enrolled } from './kinds.ts'
import type { As } from './test-connection.ts'
import type { Kind } from './tiles.ts'

export interface TestFieldsProps {
  kind: Kind
  principals: Enrolled['principals']
  as: As
  disabled: boolean
  onAs: (patch: Partial<As>) => void
}

const options = (values: readonly string[] = []) => values.map((value) => ({ value, label: value }))

/** As whom the test is made. */
export function TestFields({ kind, principals, as, disabled, onAs }: TestFieldsProps) {
  if (kind === 'database')
    return (
      <>
        <SuggestField
          label="Database user"
          value={as.user}
          suggestions={plain(principals.databaseUsers)}
          onValue={(user) => onAs({ user })}
        />
        <SuggestField
          label="Database name"
          value={as.name}
          suggestions={plain(principals.databaseNames)}
          onValue={(name) => onAs({ name })}
        />
      </>
    )
  if (kind === 'kubernetes') {
    const users = plain(principals.kubeUsers)
    return (
      <>
        {users.length > 1 && (
          <Select label="Kubernetes user" options={options(users)} value={as.user} disabled={disabled} onValue={(user) => onAs({ user })} />
        )}
        <TextField
          label="Namespace"
          mono
          value={as.namespace}
          disabled={disabled}
          onChange={({ target }) => onAs({ namespace: target.value })}
        />
      </>
    )
  }
  return (
    <Select
      label="Login"
      options={options(principals.logins)}
      value={as.login || undefined}
      disabled={disabled}
      onValue={(login) => onAs({ login })}
    />
  )
}
