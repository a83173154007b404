import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { list as listRoles } from '@sallyport/wire/calls/roles.ts'
import type { PluginKind } from '@sallyport/wire/entities/plugin.ts'
import { callQuery } from '../../api/queries.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { SuggestField } from '../../ui/SuggestField.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { newRow } from './plugin-draft.ts'
import type { RoleRow, Told, ToldProblems } from './plugin-draft.ts'
import { pluginWords } from './plugin-words.ts'
import styles from './Integrations.module.css'

export interface ToldFieldsProps {
  kind: PluginKind
  told: Told
  problems: ToldProblems | undefined
  disabled: boolean
  onTold: (told: Told) => void
}

/** Who is told: of any request, and of those for certain roles. */
export function ToldFields({ kind, told, problems, disabled, onTold }: ToldFieldsProps) {
  const { acl } = useUserContext()
  const roles = useQuery({ ...callQuery(listRoles), enabled: acl.roles.list && acl.roles.read })
  const names = (roles.data ?? []).map(({ name }) => name).toSorted()
  const words = pluginWords[kind]
  const change = (id: number, patch: Partial<RoleRow>): void =>
    onTold({ ...told, roles: told.roles.map((row) => (row.id === id ? { ...row, ...patch } : row)) })
  return (
    <>
      <TagsField
        label="Recipients"
        values={told.recipients}
        commas
        placeholder={words.placeholder}
        help={words.recipients}
        error={problems?.recipients}
        disabled={disabled}
        onValues={(recipients) => onTold({ ...told, recipients })}
      />
      {told.roles.map((row, index) => (
        <div key={row.id} className={styles['told']} role="group" aria-label={row.role || `Role ${index + 1}`}>
          <SuggestField
            label="For the role"
            value={row.role}
            suggestions={names}
            error={problems?.rows.get(row.id)?.role}
            disabled={disabled}
            onValue={(role) => change(row.id, { role })}
          />
          <TagsField
            label="Tell instead"
            values={row.recipients}
            commas
            error={problems?.rows.get(row.id)?.recipients}
            disabled={disabled}
            onValues={(recipients) => change(row.id, { recipients })}
          />
          <IconButton
            icon={X}
            label={`Remove ${row.role || `role ${index + 1}`}`}
            disabled={disabled}
            onClick={() => onTold({ ...told, roles: told.roles.filter(({ id }) => id !== row.id) })}
          />
        </div>
      ))}
      <span>
        <Button size={24} icon={Plus} disabled={disabled} onClick={() => onTold({ ...told, roles: [...told.roles, newRow()] })}>
          {told.roles.length === 0 ? 'Others for a role' : 'Others for another role'}
        </Button>
      </span>
      <p className="t2">
        Besides them, suggested reviewers are told when they may decide, and who has asked learns the outcome: each by the mail address in
        the trait <span className="mono">email</span>, or by a user name that is one.
      </p>
    </>
  )
}
